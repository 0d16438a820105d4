-- ?1: rows at most; ?2: the id to go on below, or null; ?3: rows looked at.
select {columns} from cairnq_tasks t where t.id in (
  select m.id from (
    select {looked_at} from cairnq_tasks t
    where t.id < coalesce(?2, (select max(id) || 'z' from cairnq_tasks)) order by t.id desc limit ?3
  ) m where true{more} limit ?1
) order by t.id desc
