-- Whether outcomes that no longer find their lease are in the table already: what a connection that broke under COMMIT
-- leaves open. Parameters and kinds as in round.sql.
select {task}
from {outcomes}
  join cairnq_tasks t on t.id = o.id
where case
  when o.kind in ('s', 'c') then t.worker_id = $7::text
    and (t.status = 'canceled' or (t.status = 'succeeded' and t.result is not distinct from o.result::jsonb))
  when o.kind in ('r', 'f') then t.error = o.error::jsonb and (
    (t.status in ('failed', 'canceled') and t.worker_id = $7::text)
    or (o.kind = 'r' and t.status in ('queued', 'running') and t.worker_id is distinct from $7::text))
  else false end
