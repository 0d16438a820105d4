-- Every question's rows as one JSON text, and the clock they go by.
select {clock}, coalesce(json_agg(a), '[]')::text from (
{question}
) a
