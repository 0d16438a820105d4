-- ?1: since when; ?2: rows looked at, newest completion first.
select queue, name, status, count(*) as counted from (
  select t.queue, t.name, t.status from cairnq_tasks t indexed by cairnq_tasks_completed_idx
  where t.completed_at_ms >= ?1 order by t.completed_at_ms desc limit ?2
) group by queue, name, status
