-- Early SDKs left the last lease behind on rows that had stopped running. From here on a lease
-- means "running", and nothing else does.

update cairnq_tasks set lease_until_ms = null
where status <> 'running' and lease_until_ms is not null;

insert into cairnq_meta (key, value) values ('schema_version', '5')
on conflict (key) do update set value = excluded.value;
