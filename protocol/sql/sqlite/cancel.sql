update cairnq_tasks set
  completed_at_ms = case status when 'queued' then ?2 else completed_at_ms end,
  cancel_requested_at_ms = case status when 'running' then ?2 else cancel_requested_at_ms end,
  status = case status when 'queued' then 'canceled' else status end,
  updated_at_ms = ?2
where id = ?1 and +status in ('queued', 'running');
