-- The pluses keep the primary key as the only way in, whatever the statistics say.
update cairnq_tasks set lease_until_ms = ?4, updated_at_ms = ?3
where id = ?1 and +status = 'running' and +worker_id = ?2 and +lease_until_ms > ?3
returning cancel_requested_at_ms is not null;
