-- As before the claim, except that a cancellation asked for meanwhile is not undone by going back to the queue.
update cairnq_tasks set
  status = case when cancel_requested_at_ms is null then 'queued' else 'canceled' end,
  completed_at_ms = case when cancel_requested_at_ms is null then null else ?3 end,
  worker_id = null, lease_until_ms = null, progress = null, message = null,
  attempt = max(attempt - 1, 0), updated_at_ms = ?3
where id = ?1 and +status = 'running' and +worker_id = ?2 and +lease_until_ms > ?3
returning status, queue, run_at_ms;
