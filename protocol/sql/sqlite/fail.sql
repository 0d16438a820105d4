-- ?5: whether another attempt may help; ?6: when it would be due.
update cairnq_tasks set
  status = case
    when cancel_requested_at_ms is not null then 'canceled'
    when ?5 and attempt < max_attempts then 'queued'
    else 'failed' end,
  error = ?4,
  worker_id = case
    when cancel_requested_at_ms is null and ?5 and attempt < max_attempts then null else worker_id end,
  run_at_ms = case
    when cancel_requested_at_ms is null and ?5 and attempt < max_attempts then ?6 else run_at_ms end,
  completed_at_ms = case
    when cancel_requested_at_ms is null and ?5 and attempt < max_attempts then null else ?3 end,
  progress = case
    when cancel_requested_at_ms is null and ?5 and attempt < max_attempts then null else progress end,
  message = case
    when cancel_requested_at_ms is null and ?5 and attempt < max_attempts then null else message end,
  lease_until_ms = null,
  updated_at_ms = ?3
where id = ?1 and +status = 'running' and +worker_id = ?2 and +lease_until_ms > ?3
returning status, queue;
