select queue, status, count(*) from cairnq_tasks where queue = ?1 group by queue, status;
