-- $1: rows a walk looked at; $2: where it began, or null. The last id it met, if it met as many.
select t.id from cairnq_tasks t
where t.id < coalesce($2::text, (select max(id) || 'z' from cairnq_tasks))
order by t.id desc limit 1 offset $1::bigint - 1
