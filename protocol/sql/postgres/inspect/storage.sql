select current_setting('server_version') as version, pg_is_in_recovery() as standby,
  current_setting('transaction_read_only') = 'on' as read_only, current_setting('autovacuum') = 'on' as autovacuum,
  current_user as role, current_schema() as schema, current_setting('max_connections')::int as max_connections,
  (select count(*) from pg_catalog.pg_stat_activity where backend_type = 'client backend') as connections,
  array(select p from unnest(array['select', 'insert', 'update', 'delete']) p
    where not has_table_privilege('cairnq_tasks', p) or not has_table_privilege('cairnq_task_keys', p)) as missing_privileges,
  pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees_all
