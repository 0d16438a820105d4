select to_regclass('cairnq_meta') is not null, to_regclass('cairnq_migrations') is not null,
  to_regclass('cairnq_task_keys_task_id_idx') is not null
