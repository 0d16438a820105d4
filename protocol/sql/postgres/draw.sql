,
{picked},
drawn as (
  update cairnq_tasks t set
    status = 'running', worker_id = {worker}::text, lease_until_ms = (select now_ms from clock) + {lease}::bigint,
    attempt = t.attempt + 1, updated_at_ms = (select now_ms from clock)
  from picked p
  where t.id = p.id
  returning {returned}
)
