-- What does not fit stays queued; the first row may pass the bytes when that is allowed.
,
picked as materialized (
  select id from (
    select id, sum(bytes) over line as total, row_number() over line as place
    from candidates
    window line as (order by priority desc, position, id rows unbounded preceding)
  ) c
  where total <= {bytes}::bigint or ({oversize_first}::boolean and place = 1)
)
