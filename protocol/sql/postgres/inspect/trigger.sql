select g.tgenabled::text as enabled from pg_catalog.pg_trigger g
where g.tgrelid = to_regclass('cairnq_tasks') and g.tgname = 'cairnq_tasks_notify'
