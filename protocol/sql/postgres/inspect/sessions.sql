-- $1: from which age in ms on; $2: rows at most. What holds back vacuum.
select * from (
  select 'transaction' as kind, a.pid::text as id, a.usename as role, a.application_name as application,
    coalesce(host(a.client_addr), 'local') as client, a.state,
    floor(extract(epoch from clock_timestamp() - a.xact_start) * 1000)::bigint as age_ms
  from pg_catalog.pg_stat_activity a
  where a.datname = current_database() and a.pid <> pg_backend_pid() and a.xact_start is not null
    and a.backend_type = 'client backend'
  union all
  select 'prepared transaction', p.gid, p.owner, '', '', 'prepared',
    floor(extract(epoch from clock_timestamp() - p.prepared) * 1000)::bigint
  from pg_catalog.pg_prepared_xacts p where p.database = current_database()
) s where age_ms >= $1::bigint order by age_ms desc limit $2::bigint
