-- Whether anything is due, or any lease has run out. $1 and $2: queue and name pairs, or queues and null.
select
  exists (
    select 1 from unnest($1::text[], $2::text[]) as p (queue, name) cross join lateral (
      select 1 from cairnq_tasks t
      where t.queue = p.queue and t.status = 'queued'{name} and t.run_at_ms <= (select {clock})
      limit 1
    ) due
  ),
  exists (
    select 1 from cairnq_tasks t
    where t.status = 'running' and t.lease_until_ms is not null and t.lease_until_ms <= (select {clock})
  ),
  (select value from cairnq_meta where key = 'schema_version')
