select t.id, t.status from cairnq_tasks t where t.id = $1::text
