-- One ordered walk per queue and name, merged lazily, so that several of them never sort a backlog; rows are locked as
-- they come out of the merge, so that the limit bounds the locks and a row locked elsewhere is made up for.
candidates as materialized (
  select t.id, t.priority, t.position{size}
  from (
    select * from (
{branches}
    ) u order by u.priority desc, u.position, u.id
  ) h
  cross join lateral (
    select c.id, c.priority, c.{order} as position, c.payload
    from cairnq_tasks c where c.id = h.id and c.status || '' = 'queued'
    for update skip locked
  ) t
  limit {limit}::bigint
)
