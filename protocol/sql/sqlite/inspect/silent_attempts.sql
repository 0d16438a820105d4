-- ?1: JSON array of queues; ?2: queued rows looked at in each; ?3: rows at most.
-- Queued tasks whose earlier attempts left no error behind: only a lease that ended does that.
select t.id, t.name, t.queue, t.attempt, t.max_attempts, t.worker_id
from json_each(?1) q cross join cairnq_tasks t
where t.rowid in (
    select c.rowid from cairnq_tasks c indexed by cairnq_tasks_claim_idx
    where c.queue = q.value and c.status = 'queued' limit ?2)
  and t.attempt > 0 and t.error is null
limit ?3
