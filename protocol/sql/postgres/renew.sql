-- A row that somebody holds locked is left out rather than waited for: one of them must not cost all the others their lease.
with clock as materialized (select {clock} as now_ms),
mine as materialized (
  select l.id from unnest($1::text[]) as wanted (id) cross join lateral (
    select t.id from cairnq_tasks t
    where t.id = wanted.id and t.status || '' = 'running' and t.worker_id || '' = $2::text
      and t.lease_until_ms + 0 > (select now_ms from clock)
    for update skip locked
  ) l
)
update cairnq_tasks t set
  lease_until_ms = (select now_ms from clock) + $3::bigint, updated_at_ms = (select now_ms from clock)
from mine m where t.id = m.id
returning t.id, t.cancel_requested_at_ms is not null
