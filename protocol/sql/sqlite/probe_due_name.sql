select exists (
  select 1 from cairnq_tasks indexed by cairnq_tasks_claim_name_idx
  where queue = ?1 and status = 'queued' and name = ?3 and +run_at_ms <= ?2
);
