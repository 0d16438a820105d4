-- Each half of the probe is pinned: with statistics taken while everything was queued, SQLite would scan the table, and
-- without the plus step through the index by priorities.
select exists (
  select 1 from cairnq_tasks indexed by cairnq_tasks_claim_idx
  where queue = ?1 and status = 'queued' and +run_at_ms <= ?2
);
