
  select null::text as id, null::text as status, null::text as queue where false
