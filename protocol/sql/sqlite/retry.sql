update cairnq_tasks set
  status = 'queued', run_at_ms = ?2, updated_at_ms = ?2,
  error = null, worker_id = null, lease_until_ms = null, cancel_requested_at_ms = null,
  completed_at_ms = null, progress = null, message = null,
  attempt = case when ?3 then 0 else attempt end
where id = ?1 and +status in ('failed', 'canceled');
