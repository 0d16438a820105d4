-- Purging one queue must not read past the finished tasks of all the others. Live rows are never
-- purged and stay out of the index.

create index if not exists cairnq_tasks_queue_completed_idx on cairnq_tasks (queue, completed_at_ms)
  where status in ('succeeded', 'failed', 'canceled');

insert into cairnq_meta (key, value) values ('schema_version', '9')
on conflict (key) do update set value = excluded.value;
