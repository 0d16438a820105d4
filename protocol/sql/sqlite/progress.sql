update cairnq_tasks set
  progress = coalesce(?4, progress), message = coalesce(?5, message), updated_at_ms = ?3
where id = ?1 and +status = 'running' and +worker_id = ?2 and +lease_until_ms > ?3;
