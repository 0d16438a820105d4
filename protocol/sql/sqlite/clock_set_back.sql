-- Brings along what was written before the clock was set back by ?2: its time of change is still to come.
update cairnq_tasks set
  created_at_ms = case when created_at_ms > ?1 then created_at_ms - ?2 else created_at_ms end,
  run_at_ms = run_at_ms - ?2,
  lease_until_ms = lease_until_ms - ?2,
  updated_at_ms = ?1
where status in ('queued', 'running') and updated_at_ms > ?1;
