-- ?1: rows at most; ?2: the id to go on below, or null; ?3: rows the index gives at most, all of which are looked at.
select {columns} from cairnq_tasks t where t.id in (
  select m.id from (
    select {looked_at} from cairnq_tasks t indexed by {index} where {terms} limit ?3
  ) m where (?2 is null or m.id < ?2){more} order by m.id desc limit ?1
) order by t.id desc
