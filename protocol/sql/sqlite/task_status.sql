select id, status from cairnq_tasks where id = ?1;
