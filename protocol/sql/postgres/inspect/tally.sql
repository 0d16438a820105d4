-- $1: JSON array of {queue, status, name}; $2: bound of each count.
-- The longest-waiting task is looked for among the first 20 rows in claim order.
select g.queue, g.status, g.name,
  (select count(*) from (
    select 1 from cairnq_tasks t
    where t.queue = g.queue and t.status = g.status and t.name = g.name
    order by t.priority desc limit $2::bigint) c) as counted,
  case g.status when 'queued' then (select min(due_ms) from (
    select t.run_at_ms as due_ms from cairnq_tasks t
    where t.queue = g.queue and t.status = 'queued' and t.name = g.name
    order by t.priority desc, t.{order} limit 20) heads where due_ms <= (select {clock})) end as oldest_due_ms
from jsonb_to_recordset($1::jsonb) g (queue text, status text, name text)
