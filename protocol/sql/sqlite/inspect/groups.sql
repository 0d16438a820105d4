-- ?1: JSON array of queues; ?2: how many steps at most. One seek per name that is queued or running.
with recursive found (queue, status, name) as (
  select q.value, s.value, (
    select min(t.name) from cairnq_tasks t indexed by cairnq_tasks_claim_name_idx
    where t.queue = q.value and t.status = s.value)
  from json_each(?1) q cross join json_each('["queued","running"]') s
  union all
  select f.queue, f.status, (
    select min(t.name) from cairnq_tasks t indexed by cairnq_tasks_claim_name_idx
    where t.queue = f.queue and t.status = f.status and t.name > f.name)
  from found f where f.name is not null
  limit ?2
)
select queue, status, name from found where name is not null
