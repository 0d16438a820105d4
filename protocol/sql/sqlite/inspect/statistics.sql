select idx as name, stat from sqlite_stat1 where tbl = 'cairnq_tasks'
