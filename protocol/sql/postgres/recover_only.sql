-- Recovery alone.
with clock as materialized (select {clock} as now_ms),
recovered as ({recover}
  returning t.id, t.status, t.queue
)
select id, status, queue from recovered
