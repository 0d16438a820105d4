-- (status, completed_at_ms) answers everything the plain status index did; one index fewer to
-- maintain on every write.

drop index if exists cairnq_tasks_status_idx;

insert into cairnq_meta (key, value) values ('schema_version', '10')
on conflict (key) do update set value = excluded.value;
