-- Without it every purged row scans all keys for the ones that point at it.
create index if not exists cairnq_task_keys_task_id_idx on cairnq_task_keys (task_id);
