select t.queue, t.status, count(*) from cairnq_tasks t group by t.queue, t.status
