-- $1: JSON array of queues; $2: bound of each count; $3: queued rows looked at for their due time.
-- The longest-waiting task is looked for among the first 100 rows of each of the 16 highest priorities.
-- The order is that of the one index that has queue and status together; without it all tasks of a status may be walked.
select q.value as queue, s.value as status,
  (select count(*) from (
    select 1 from cairnq_tasks t where t.queue = q.value and t.status = s.value
    order by t.priority desc limit $2::bigint) c) as counted,
  case s.value when 'queued' then (select count(*) from (
    select t.run_at_ms as due_ms from cairnq_tasks t where t.queue = q.value and t.status = 'queued'
    order by t.priority desc limit $3::bigint) c where due_ms > (select {clock})) end as delayed,
  case s.value when 'queued' then (
    with recursive p (priority, rank) as (
      (select t.priority, 1 from cairnq_tasks t
        where t.queue = q.value and t.status = 'queued' order by t.priority desc limit 1)
      union all
      select (select t.priority from cairnq_tasks t
        where t.queue = q.value and t.status = 'queued' and t.priority < p.priority
        order by t.priority desc limit 1), rank + 1
      from p where p.priority is not null and rank < 16
    )
    select min((select min(due_ms) from (
      select t.run_at_ms as due_ms from cairnq_tasks t
      where t.queue = q.value and t.status = 'queued' and t.priority = p.priority
      order by t.{order} limit 100) heads where due_ms <= (select {clock}))) from p
  ) end as oldest_due_ms
from jsonb_array_elements_text($1::jsonb) q (value)
cross join unnest(array['queued', 'running', 'succeeded', 'failed', 'canceled']) s (value)
