select id, rowid from cairnq_tasks indexed by cairnq_tasks_claim_name_idx
where queue = ?1 and status = 'queued' and name = ?7 and priority = ?3 and created_at_ms = ?4 and rowid > ?5
  and run_at_ms <= ?2
order by rowid
limit ?6;
