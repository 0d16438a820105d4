select {task}, k.key from unnest($1::text[]) as wanted (key)
  join cairnq_task_keys k on k.key = wanted.key join cairnq_tasks t on t.id = k.task_id
