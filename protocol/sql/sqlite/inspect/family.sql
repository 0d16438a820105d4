-- ?1: the root; ?2: rows at most.
select {columns} from (
  select * from cairnq_tasks indexed by cairnq_tasks_root_idx where root_id = ?1 limit ?2
) t order by t.id
