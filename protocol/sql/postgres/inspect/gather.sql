-- $1: rows at most; $2: the id to go on below, or null; $3: rows the index gives at most, all of which are looked at.
-- The limit inside keeps the planner from walking the primary key instead.
select {columns} from unnest(array(
  select m.id from (
    select {looked_at} from cairnq_tasks t where {terms}{index_order} limit $3::bigint
  ) m where ($2::text is null or m.id < $2){more} order by m.id desc limit $1::bigint
)) with ordinality as w (id, place) join cairnq_tasks t on t.id = w.id order by w.place
