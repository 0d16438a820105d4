-- A queued task ends at once; a running one is asked to.
update cairnq_tasks t set
  completed_at_ms = case t.status when 'queued' then now.ms else t.completed_at_ms end,
  cancel_requested_at_ms = case t.status when 'running' then now.ms else t.cancel_requested_at_ms end,
  status = case t.status when 'queued' then 'canceled' else t.status end,
  updated_at_ms = now.ms
from unnest($1::text[]) as wanted (id), (select {clock} as ms offset 0) now
where t.id = wanted.id and t.status || '' in ('queued', 'running')
returning {task}
