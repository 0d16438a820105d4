insert into cairnq_task_keys (key, task_id, created_at_ms, updated_at_ms) values (?1, ?2, ?3, ?3)
on conflict (key) do update set task_id = excluded.task_id, updated_at_ms = excluded.updated_at_ms;
