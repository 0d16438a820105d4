-- The claim order below schema level 8. rowid stands in for the id: the index ends in it, so no tie of any size is
-- sorted here; whoever reads the rows puts those of a tie in order.
select {task}, rowid from cairnq_tasks indexed by cairnq_tasks_claim_idx
where queue = ?1 and status = 'queued' and run_at_ms <= ?2
order by priority desc, created_at_ms, rowid;
