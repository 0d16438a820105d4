-- $1: how long ago it must have ended, in milliseconds; $2: rows at most.
with doomed as materialized (
  select t.id, t.completed_at_ms from cairnq_tasks t
  where t.completed_at_ms < (select {clock}) - $1::bigint and t.status in ('succeeded', 'failed', 'canceled'){filters}
  order by t.completed_at_ms
  for update skip locked
  limit $2::bigint
),
deleted as (
  delete from cairnq_tasks t using doomed d where t.id = d.id returning t.id
)
select id from deleted
