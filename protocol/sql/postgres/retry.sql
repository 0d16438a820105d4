update cairnq_tasks t set
  status = 'queued', run_at_ms = now.ms, updated_at_ms = now.ms,
  error = null, worker_id = null, lease_until_ms = null, cancel_requested_at_ms = null, completed_at_ms = null,
  progress = null, message = null, attempt = case when $2::boolean then 0 else t.attempt end
from (select {clock} as ms offset 0) now
where t.id = $1::text and t.status || '' in ('failed', 'canceled')
returning {task}
