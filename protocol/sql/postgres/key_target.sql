select k.task_id from cairnq_task_keys k where k.key = $1::text
