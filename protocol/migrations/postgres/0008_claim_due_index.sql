-- The claim order changes here: tasks of one priority now go by the time they became due, not by
-- the time they were submitted, with the id to settle ties. Both claim indexes follow; an SDK
-- that goes on claiming by created_at_ms after this sorts the whole backlog for every claim.

-- A bare "drop index" takes the first of that name on the search_path, which may belong to another
-- installation when ours is missing. The schema of our own table is the one that is meant.
do $$
declare
  home constant regnamespace := (
    select relnamespace from pg_catalog.pg_class where oid = 'cairnq_tasks'::regclass
  );
begin
  execute format('drop index if exists %s.cairnq_tasks_claim_idx', home);
  execute format('drop index if exists %s.cairnq_tasks_claim_name_idx', home);
end
$$;

create index cairnq_tasks_claim_idx
  on cairnq_tasks (queue, status, priority desc, run_at_ms, id);
create index cairnq_tasks_claim_name_idx
  on cairnq_tasks (queue, status, name, priority desc, run_at_ms, id);

insert into cairnq_meta (key, value) values ('schema_version', '8')
on conflict (key) do update set value = excluded.value;
