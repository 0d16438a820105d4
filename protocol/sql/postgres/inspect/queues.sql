-- $1: how many at most. One seek per queue.
with recursive queues (queue) as (
  (select t.queue from cairnq_tasks t order by t.queue limit 1)
  union all
  select (select t.queue from cairnq_tasks t where t.queue > q.queue order by t.queue limit 1)
  from queues q where q.queue is not null
)
select queue from (select queue from queues limit $1::bigint) found where queue is not null
