,
pointed as (
  insert into cairnq_task_keys (key, task_id, created_at_ms, updated_at_ms)
  select s.key, s.id, s.now_ms, s.now_ms from submitted s where s.key is not null
  on conflict (key) do update set task_id = excluded.task_id, updated_at_ms = excluded.updated_at_ms
)
