select i.relname as name, r.relname as "table", x.indisvalid as valid
from pg_catalog.pg_index x
join pg_catalog.pg_class i on i.oid = x.indexrelid join pg_catalog.pg_class r on r.oid = x.indrelid
where x.indrelid in (to_regclass('cairnq_tasks'), to_regclass('cairnq_task_keys'))
