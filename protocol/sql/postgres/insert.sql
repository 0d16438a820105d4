-- $1 to $12: one array per column, in the order of the submits. The clock is read once per row: rows of one statement that
-- shared a time would all have to be sorted by id by every claim. A second sending of the same rows changes nothing.
-- $13, $14: the worker that takes them as they are written, and for how many milliseconds; null where none does. Only then
-- is their JSON given back, as the database keeps it.
with submitted as (
  select s.*, {clock} as now_ms
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::text[], $10::text[], $11::text[], $12::text[])
    as s (id, name, queue, payload, metadata, max_attempts, priority, delay_ms, parent_id, root_id, correlation_id, key)
  offset 0
),
inserted as (
  insert into cairnq_tasks (id, name, queue, status, payload, metadata, max_attempts, priority, run_at_ms, parent_id,
    root_id, correlation_id, created_at_ms, updated_at_ms, attempt, worker_id, lease_until_ms)
  select s.id, s.name, s.queue, case when $13::text is null then 'queued' else 'running' end, s.payload::jsonb,
    s.metadata::jsonb, least(s.max_attempts, 2147483647), s.priority, s.now_ms + s.delay_ms, s.parent_id, s.root_id, s.correlation_id, s.now_ms, s.now_ms,
    case when $13::text is null then 0 else 1 end, $13::text, s.now_ms + $14::bigint
  from submitted s
  on conflict (id) do nothing
  returning id, created_at_ms, run_at_ms, case when worker_id is not null then payload::text end as payload,
    case when worker_id is not null then metadata::text end as metadata
){point}
select id, created_at_ms, run_at_ms, payload, metadata from inserted
