select count(*) from (
  select 1 from cairnq_tasks indexed by cairnq_tasks_claim_idx
  where queue = ?1 and status = 'queued' limit ?2
);
