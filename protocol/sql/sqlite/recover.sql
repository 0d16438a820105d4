-- Cancel outranks the retry, the retry outranks the failure. The index needs both of its terms spelled out.
update cairnq_tasks indexed by cairnq_tasks_lease_idx set
  status = case
    when cancel_requested_at_ms is not null then 'canceled'
    when attempt < max_attempts then 'queued'
    else 'failed' end,
  completed_at_ms = case
    when cancel_requested_at_ms is null and attempt < max_attempts then null else ?1 end,
  error = case
    when cancel_requested_at_ms is null and attempt >= max_attempts then ?2 else error end,
  worker_id = case
    when cancel_requested_at_ms is null and attempt < max_attempts then null else worker_id end,
  run_at_ms = case
    when cancel_requested_at_ms is null and attempt < max_attempts then ?1 else run_at_ms end,
  progress = case
    when cancel_requested_at_ms is null and attempt < max_attempts then null else progress end,
  message = case
    when cancel_requested_at_ms is null and attempt < max_attempts then null else message end,
  lease_until_ms = null,
  updated_at_ms = ?1
where status = 'running' and lease_until_ms is not null and lease_until_ms <= ?1
returning id, queue, status;
