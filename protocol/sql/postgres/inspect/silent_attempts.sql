-- $1: JSON array of queues; $2: queued rows looked at in each; $3: rows at most.
-- Queued tasks whose earlier attempts left no error behind: only a lease that ended does that.
select c.id, c.name, c.queue, c.attempt, c.max_attempts, c.worker_id
from jsonb_array_elements_text($1::jsonb) q (value)
cross join lateral (
  select t.* from cairnq_tasks t where t.queue = q.value and t.status = 'queued'
  order by t.priority desc, t.{order} limit $2::bigint
) c
where c.attempt > 0 and c.error is null
limit $3::bigint
