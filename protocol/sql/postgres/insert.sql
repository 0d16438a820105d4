-- $1 to $12: one array per column, in the order of the submits. The clock is read once per row: rows of one statement that
-- shared a time would all have to be sorted by id by every claim. A second sending of the same rows changes nothing.
with submitted as (
  select s.*, {clock} as now_ms
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::text[], $10::text[], $11::text[], $12::text[])
    as s (id, name, queue, payload, metadata, max_attempts, priority, delay_ms, parent_id, root_id, correlation_id, key)
  offset 0
),
inserted as (
  insert into cairnq_tasks (id, name, queue, status, payload, metadata, max_attempts, priority, run_at_ms, parent_id,
    root_id, correlation_id, created_at_ms, updated_at_ms)
  select s.id, s.name, s.queue, 'queued', s.payload::jsonb, s.metadata::jsonb, least(s.max_attempts, 2147483647),
    s.priority, s.now_ms + s.delay_ms, s.parent_id, s.root_id, s.correlation_id, s.now_ms, s.now_ms
  from submitted s
  on conflict (id) do nothing
  returning id, created_at_ms, run_at_ms
){point}
select id, created_at_ms, run_at_ms from inserted
