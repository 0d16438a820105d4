-- ?1: length of the window in ms; ?2: the least id that could have been made in it; ?3: bound of each count.
select
  (select count(*) from (select 1 from cairnq_tasks t where t.id >= ?2 limit ?3)) as submitted,
  (select count(*) from (
    select 1 from cairnq_tasks t indexed by cairnq_tasks_completed_idx
    where t.completed_at_ms >= {clock} - ?1 limit ?3)) as finished
