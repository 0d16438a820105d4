-- $1: length of the window in ms; $2: the least id that could have been made in it; $3: bound of each count.
select
  (select count(*) from (select 1 from cairnq_tasks t where t.id >= $2::text limit $3::bigint) c) as submitted,
  (select count(*) from (
    select 1 from cairnq_tasks t where t.completed_at_ms >= (select {clock}) - $1::bigint limit $3::bigint) c) as finished
