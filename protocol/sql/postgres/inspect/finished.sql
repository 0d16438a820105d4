-- $1: since when; $2: rows at most.
select t.id, t.name, t.queue, t.status, t.attempt, t.created_at_ms, t.run_at_ms, t.completed_at_ms
from cairnq_tasks t where t.completed_at_ms >= $1::bigint order by t.completed_at_ms desc limit $2::bigint
