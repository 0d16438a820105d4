update cairnq_tasks t set lease_until_ms = now.ms + $3::bigint, updated_at_ms = now.ms
from (select {clock} as ms offset 0) now
where t.id = $1::text and t.status || '' = 'running' and t.worker_id || '' = $2::text and t.lease_until_ms + 0 > now.ms
returning {task}
