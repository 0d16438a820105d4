select {task}, rowid from cairnq_tasks indexed by cairnq_tasks_claim_name_idx
where queue = ?1 and status = 'queued' and name = ?3 and run_at_ms <= ?2
order by priority desc, run_at_ms, id;
