-- $1: the bound. How many rows an index gives for a filter.
select count(*) as matching from (select 1 from cairnq_tasks t where {terms}{index_order} limit $1::bigint) c
