-- The prefix is whatever the trigger says, so that everybody on one installation listens where it speaks.
select coalesce((
  select convert_from(substring(g.tgargs from 1 for octet_length(g.tgargs) - 1), 'UTF8')
  from pg_catalog.pg_trigger g
  where g.tgrelid = to_regclass('cairnq_tasks') and g.tgname = 'cairnq_tasks_notify' and g.tgnargs = 1
), '')
