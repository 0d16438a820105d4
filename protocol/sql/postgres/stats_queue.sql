select t.queue, t.status, count(*) from cairnq_tasks t where t.queue = $1::text group by t.queue, t.status
