-- Purging walks finished tasks from the oldest on.

create index if not exists cairnq_tasks_completed_idx on cairnq_tasks (completed_at_ms);

insert into cairnq_meta (key, value) values ('schema_version', '2')
on conflict (key) do update set value = excluded.value;
