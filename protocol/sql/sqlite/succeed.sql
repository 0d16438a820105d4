update cairnq_tasks set
  status = 'succeeded', result = ?4, progress = 1, message = coalesce(?5, message),
  lease_until_ms = null, completed_at_ms = ?3, updated_at_ms = ?3
where id = ?1 and +status = 'running' and +worker_id = ?2 and +lease_until_ms > ?3;
