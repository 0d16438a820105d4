-- In one order, whatever the caller's: two submits of overlapping keys must not lock each other out.
select count(pg_advisory_xact_lock(h.hash))
from (select distinct hashtextextended(k, 0) as hash from unnest($1::text[]) as k order by 1) h
