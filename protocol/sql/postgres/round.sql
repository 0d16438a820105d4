-- A worker's round in one statement and one transaction: outcomes down, expired leases recovered, new tasks up. Each is
-- left out where the round has none of it.
-- $1 to $6: the outcomes, one array per column, in id order; then the worker, which is $1 where there are none.
--
-- Every part sees the rows as they were when the statement began, and one clock, so that no row is touched twice: a task
-- that becomes queued here is drawn by the next round. The pieces of text glued to columns pin the plan to the primary
-- key. Kinds: s succeed, c complete, r fail with another attempt, f fail for good, x hand back unstarted.
with clock as materialized (select {clock} as now_ms),
settled as ({settled}
),
recovered as ({recovered}
){draw}
select
  (select value from cairnq_meta where key = 'schema_version') as level,
  s.ids, s.statuses, s.queues, r.ids, r.statuses, r.queues{no_task}
from (select array_agg(id) as ids, array_agg(status) as statuses, array_agg(queue) as queues from settled) s,
  (select array_agg(id) as ids, array_agg(status) as statuses, array_agg(queue) as queues from recovered) r{drawn}
