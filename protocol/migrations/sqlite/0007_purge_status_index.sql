-- Retention that keeps one status longer than another purges by status, oldest first.

create index if not exists cairnq_tasks_status_completed_idx
  on cairnq_tasks (status, completed_at_ms);

insert into cairnq_meta (key, value) values ('schema_version', '7')
on conflict (key) do update set value = excluded.value;
