-- The outcomes alone, answering with the settled rows. Parameters and kinds as in round.sql.
with clock as materialized (select {clock} as now_ms){settle}
returning {task}
