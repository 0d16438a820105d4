-- No RETURNING: the caller knows every value it wrote, and RETURNING costs a statement journal.
insert into cairnq_tasks (
  id, name, queue, status, payload, metadata, max_attempts, priority,
  parent_id, root_id, correlation_id, run_at_ms, created_at_ms, updated_at_ms
) values (?1, ?2, ?3, 'queued', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12);
