-- $1: JSON array of queues; $2: how many steps at most. One seek per name that is queued or running.
with recursive found (queue, status, name) as (
  select q.value, s.value, (
    select t.name from cairnq_tasks t where t.queue = q.value and t.status = s.value order by t.name limit 1)
  from jsonb_array_elements_text($1::jsonb) q (value) cross join unnest(array['queued', 'running']) s (value)
  union all
  select f.queue, f.status, (
    select t.name from cairnq_tasks t
    where t.queue = f.queue and t.status = f.status and t.name > f.name order by t.name limit 1)
  from found f where f.name is not null
)
select queue, status, name from (select * from found limit $2::bigint) f where name is not null
