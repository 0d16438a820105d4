create index if not exists cairnq_task_keys_task_id_idx on cairnq_task_keys (task_id)
