-- A worker that knows only some names must not wade through a backlog of the others.

create index if not exists cairnq_tasks_claim_name_idx
  on cairnq_tasks (queue, status, name, priority desc, created_at_ms);

insert into cairnq_meta (key, value) values ('schema_version', '6')
on conflict (key) do update set value = excluded.value;
