-- One draw of a claim session.
with clock as materialized (select {clock} as now_ms){draw}
select {columns} from drawn t
