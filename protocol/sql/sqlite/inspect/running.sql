-- ?1: rows at most. Whose lease ends first comes first.
select t.id, t.name, t.queue, t.attempt, t.max_attempts, t.progress, t.message, t.worker_id, t.error is null as no_error,
  t.run_at_ms, t.updated_at_ms, t.lease_until_ms, t.cancel_requested_at_ms
from cairnq_tasks t indexed by cairnq_tasks_lease_idx
where t.status = 'running' and t.lease_until_ms is not null order by t.lease_until_ms limit ?1
