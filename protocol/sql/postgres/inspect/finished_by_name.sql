-- $1: since when; $2: rows looked at, newest completion first.
select queue, name, status, count(*) as counted from (
  select t.queue, t.name, t.status from cairnq_tasks t
  where t.completed_at_ms >= $1::bigint order by t.completed_at_ms desc limit $2::bigint
) recent group by queue, name, status
