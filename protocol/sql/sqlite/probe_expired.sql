select exists (
  select 1 from cairnq_tasks indexed by cairnq_tasks_lease_idx
  where status = 'running' and lease_until_ms is not null and lease_until_ms <= ?1
);
