-- $1: rows at most; $2: the id to go on below, or null; $3: rows looked at.
select {columns} from (
  select * from cairnq_tasks m
  where m.id < coalesce($2::text, (select max(id) || 'z' from cairnq_tasks)) order by m.id desc limit $3::bigint
) t where true{more} limit $1::bigint
