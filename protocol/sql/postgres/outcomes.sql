unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
    as o (id, kind, result, error, message, delay_ms)
