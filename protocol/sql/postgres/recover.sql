
  -- Cancel outranks the retry, the retry outranks the failure. The index needs both of its terms spelled out.
  update cairnq_tasks t set
    status = case
      when t.cancel_requested_at_ms is not null then 'canceled'
      when t.attempt < t.max_attempts then 'queued'
      else 'failed' end,
    completed_at_ms = case
      when t.cancel_requested_at_ms is null and t.attempt < t.max_attempts then null
      else (select now_ms from clock) end,
    error = case
      when t.cancel_requested_at_ms is null and t.attempt >= t.max_attempts then {lease_expired}::jsonb
      else t.error end,
    worker_id = case
      when t.cancel_requested_at_ms is null and t.attempt < t.max_attempts then null else t.worker_id end,
    run_at_ms = case
      when t.cancel_requested_at_ms is null and t.attempt < t.max_attempts then (select now_ms from clock)
      else t.run_at_ms end,
    progress = case
      when t.cancel_requested_at_ms is null and t.attempt < t.max_attempts then null else t.progress end,
    message = case
      when t.cancel_requested_at_ms is null and t.attempt < t.max_attempts then null else t.message end,
    lease_until_ms = null,
    updated_at_ms = (select now_ms from clock)
  from (
    select e.id from cairnq_tasks e
    where e.status = 'running' and e.lease_until_ms is not null
      and e.lease_until_ms <= (select now_ms from clock)
    order by e.lease_until_ms
    for update skip locked
    limit 1000
  ) expired
  where t.id = expired.id
