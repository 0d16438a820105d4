candidates as materialized (
  select t.id, t.priority, t.{order} as position{size}
  from cairnq_tasks t
  where t.queue = ({queues}::text[])[1] and t.status = 'queued' and t.run_at_ms <= (select now_ms from clock){name}
  order by t.priority desc, t.{order}, t.id
  for update skip locked
  limit {limit}::bigint
)
