-- Which of these tasks have ended, or are gone.
select wanted.id from unnest($1::text[]) as wanted (id) left join cairnq_tasks t on t.id = wanted.id
where t.status is null or t.status in ('succeeded', 'failed', 'canceled')
