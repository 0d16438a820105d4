-- As probe_created.sql, for the index that holds the due time behind the priority: it hops from priority to priority and
-- reads one entry of each, however many tasks of that priority are not due yet.
select
  exists (
    select 1 from unnest($1::text[], $2::text[]) as p (queue, name) cross join lateral (
      with recursive steps (priority) as (
        (select t.priority from cairnq_tasks t
          where t.queue = p.queue and t.status = 'queued'{name} order by t.priority desc limit 1)
        union all
        select (select t.priority from cairnq_tasks t
          where t.queue = p.queue and t.status = 'queued'{name} and t.priority < s.priority
          order by t.priority desc limit 1)
        from steps s where s.priority is not null
      )
      select 1 from steps s cross join lateral (
        select 1 from cairnq_tasks t
        where t.queue = p.queue and t.status = 'queued'{name} and t.priority = s.priority
          and t.run_at_ms <= (select {clock})
        limit 1
      ) one
      limit 1
    ) due
  ),
  exists (
    select 1 from cairnq_tasks t
    where t.status = 'running' and t.lease_until_ms is not null and t.lease_until_ms <= (select {clock})
  ),
  (select value from cairnq_meta where key = 'schema_version')
