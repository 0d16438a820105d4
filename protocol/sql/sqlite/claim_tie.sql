-- The ids of the rows that share a place with those a draw has read and come after them. Below level 8 the index does not
-- hold the id that settles ties.
select id, rowid from cairnq_tasks indexed by cairnq_tasks_claim_idx
where queue = ?1 and status = 'queued' and priority = ?3 and created_at_ms = ?4 and rowid > ?5 and run_at_ms <= ?2
order by rowid
limit ?6;
