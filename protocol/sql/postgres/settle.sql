
  update cairnq_tasks t set
    status = case
      when o.kind <> 's' and t.cancel_requested_at_ms is not null then 'canceled'
      when o.kind in ('s', 'c') then 'succeeded'
      when o.kind = 'x' or (o.kind = 'r' and t.attempt < t.max_attempts) then 'queued'
      else 'failed' end,
    result = case
      when o.kind = 's' or (o.kind = 'c' and t.cancel_requested_at_ms is null) then o.result::jsonb
      else t.result end,
    error = case when o.kind in ('r', 'f') then o.error::jsonb else t.error end,
    progress = case
      when o.kind = 's' or (o.kind = 'c' and t.cancel_requested_at_ms is null) then 1
      when t.cancel_requested_at_ms is null and (o.kind = 'x' or (o.kind = 'r' and t.attempt < t.max_attempts)) then null
      else t.progress end,
    message = case
      when o.kind = 's' or (o.kind = 'c' and t.cancel_requested_at_ms is null) then coalesce(o.message, t.message)
      when t.cancel_requested_at_ms is null and (o.kind = 'x' or (o.kind = 'r' and t.attempt < t.max_attempts)) then null
      else t.message end,
    attempt = case when o.kind = 'x' then greatest(t.attempt - 1, 0) else t.attempt end,
    worker_id = case
      when t.cancel_requested_at_ms is null and (o.kind = 'x' or (o.kind = 'r' and t.attempt < t.max_attempts)) then null
      else t.worker_id end,
    run_at_ms = case
      when t.cancel_requested_at_ms is null and o.kind = 'r' and t.attempt < t.max_attempts
      then (select now_ms from clock) + o.delay_ms
      else t.run_at_ms end,
    completed_at_ms = case
      when o.kind <> 's' and t.cancel_requested_at_ms is not null then (select now_ms from clock)
      when o.kind = 'x' or (o.kind = 'r' and t.attempt < t.max_attempts) then null
      else (select now_ms from clock) end,
    lease_until_ms = null,
    updated_at_ms = (select now_ms from clock)
  from {outcomes}
  where t.id = o.id and t.status || '' = 'running' and t.worker_id || '' = $7::text
    and t.lease_until_ms + 0 > (select now_ms from clock)
