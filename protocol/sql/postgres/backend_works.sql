-- Whether a server process has a statement in hand, and is not merely waiting for its client to send or to read.
select exists (
  select 1 from pg_catalog.pg_stat_activity a
  where a.pid = $1::integer and a.state in ('active', 'fastpath function call')
    and a.wait_event_type is distinct from 'Client'
)
