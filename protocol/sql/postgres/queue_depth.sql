select greatest(0, $2::bigint - (
  select count(*) from (
    select 1 from cairnq_tasks t where t.queue = $1::text and t.status = 'queued' limit $2::bigint
  ) queued
))
