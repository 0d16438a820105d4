-- ?1: how many at most. One seek per queue.
with recursive queues (queue) as (
  select min(queue) from cairnq_tasks indexed by cairnq_tasks_claim_idx
  union all
  select (select min(t.queue) from cairnq_tasks t indexed by cairnq_tasks_claim_idx where t.queue > q.queue)
  from queues q where q.queue is not null
  limit ?1
)
select queue from queues where queue is not null
