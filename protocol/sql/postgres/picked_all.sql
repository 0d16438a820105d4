,
picked as materialized (select id from candidates)
