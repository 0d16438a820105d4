cast(unixepoch('subsec') * 1000 as integer)
