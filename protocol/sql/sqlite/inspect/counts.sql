-- ?1: JSON array of queues; ?2: bound of each count; ?3: queued rows looked at for their due time.
-- The longest-waiting task is looked for among the first 100 rows of each of the 16 highest priorities.
select q.value as queue, s.value as status,
  (select count(*) from (
    select 1 from cairnq_tasks t indexed by cairnq_tasks_claim_idx
    where t.queue = q.value and t.status = s.value limit ?2)) as counted,
  case s.value when 'queued' then (select count(*) from (
    select t.run_at_ms as due_ms from cairnq_tasks t indexed by cairnq_tasks_claim_idx
    where t.queue = q.value and t.status = 'queued' limit ?3) where due_ms > {clock}) end as delayed,
  case s.value when 'queued' then (
    with recursive p (priority, rank) as (
      select (select t.priority from cairnq_tasks t indexed by cairnq_tasks_claim_idx
        where t.queue = q.value and t.status = 'queued' order by t.priority desc limit 1), 1
      union all
      select (select t.priority from cairnq_tasks t indexed by cairnq_tasks_claim_idx
        where t.queue = q.value and t.status = 'queued' and t.priority < p.priority
        order by t.priority desc limit 1), rank + 1
      from p where p.priority is not null and rank < 16
    )
    select min((select min(due_ms) from (
      select t.run_at_ms as due_ms from cairnq_tasks t indexed by cairnq_tasks_claim_idx
      where t.queue = q.value and t.status = 'queued' and t.priority = p.priority
      order by t.{order} limit 100) where due_ms <= {clock})) from p
  ) end as oldest_due_ms
from json_each(?1) q
cross join json_each('["queued","running","succeeded","failed","canceled"]') s
