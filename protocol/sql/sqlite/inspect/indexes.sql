select name, tbl_name as "table" from sqlite_master
where type = 'index' and tbl_name in ('cairnq_tasks', 'cairnq_task_keys')
