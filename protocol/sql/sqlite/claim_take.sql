update cairnq_tasks set
  status = 'running', worker_id = ?2, lease_until_ms = ?3, attempt = attempt + 1, updated_at_ms = ?4
where rowid = ?1;
