-- $1: a queue that nobody has. Says on this installation's channel that it has work, to hear whether that arrives.
select pg_notify(coalesce((
  select convert_from(substring(g.tgargs from 1 for octet_length(g.tgargs) - 1), 'UTF8')
  from pg_catalog.pg_trigger g
  where g.tgrelid = to_regclass('cairnq_tasks') and g.tgname = 'cairnq_tasks_notify' and g.tgnargs = 1
), '') || 'cairnq_queued', $1::text)::text as sent
