-- The outcomes alone, answering with the settled rows. Parameters and kinds as in round.sql.
with clock as materialized (select {clock} as now_ms),
outcomes as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
    as o (id, kind, result, error, message, delay_ms)
){settle}
returning {task}
