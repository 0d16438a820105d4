-- ?1: since when; ?2: rows looked at, newest completion first.
select queue, name, count(*) as counted, max(completed_at_ms) as latest_ms, max(id) as sample from (
  select t.id, t.queue, t.name, t.status, t.error, t.completed_at_ms from cairnq_tasks t indexed by {failed_index}
  where t.completed_at_ms >= ?1{failed} order by t.completed_at_ms desc limit ?2
) where status = 'failed' and error ->> 'code' = 'lease_expired' group by queue, name
