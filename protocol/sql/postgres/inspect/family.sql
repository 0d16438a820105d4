-- $1: the root; $2: rows at most.
select {columns} from (select * from cairnq_tasks m where m.root_id = $1::text limit $2::bigint) t order by t.id
