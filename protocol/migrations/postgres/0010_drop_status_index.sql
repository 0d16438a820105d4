-- (status, completed_at_ms) answers everything the plain status index did; one index fewer to
-- maintain on every write.

-- In the schema of our own table only, as in 0008.
do $$
declare
  home constant regnamespace := (
    select relnamespace from pg_catalog.pg_class where oid = 'cairnq_tasks'::regclass
  );
begin
  execute format('drop index if exists %s.cairnq_tasks_status_idx', home);
end
$$;

insert into cairnq_meta (key, value) values ('schema_version', '10')
on conflict (key) do update set value = excluded.value;
