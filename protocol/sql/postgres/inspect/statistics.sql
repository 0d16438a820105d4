-- Times in ms since 1970.
select s.relname as "table", s.n_live_tup as live, s.n_dead_tup as dead, s.n_mod_since_analyze as changed,
  floor(extract(epoch from greatest(s.last_vacuum, s.last_autovacuum)) * 1000)::bigint as vacuumed_ms,
  floor(extract(epoch from greatest(s.last_analyze, s.last_autoanalyze)) * 1000)::bigint as analyzed_ms,
  pg_total_relation_size(s.relid) as bytes, coalesce(array_to_string(c.reloptions, ','), '') as options
from pg_catalog.pg_stat_user_tables s join pg_catalog.pg_class c on c.oid = s.relid
where s.relid in (to_regclass('cairnq_tasks'), to_regclass('cairnq_task_keys'))
