-- $1: the task; $2: keys at most.
select key from cairnq_task_keys where task_id = $1::text limit $2::bigint
