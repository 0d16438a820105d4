-- Recovery looks for expired leases every round; only running rows have one, so the index stays
-- as small as the work in flight. A query reaches it only by repeating both terms.

create index if not exists cairnq_tasks_lease_idx on cairnq_tasks (lease_until_ms)
  where status = 'running' and lease_until_ms is not null;

insert into cairnq_meta (key, value) values ('schema_version', '4')
on conflict (key) do update set value = excluded.value;
