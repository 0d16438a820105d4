select t.id, t.cancel_requested_at_ms is not null
from unnest($1::text[]) as wanted (id) join cairnq_tasks t on t.id = wanted.id
where t.status || '' = 'running' and t.worker_id || '' = $2::text and t.lease_until_ms + 0 > (select {clock})
