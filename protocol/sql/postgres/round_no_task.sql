,
  null::text, null::text, null::text, null::text, null::text, null::text, null::text, null::text,
  null::double precision, null::text, null::integer, null::integer, null::integer, null::text, null::bigint,
  null::bigint, null::bigint, null::text, null::text, null::text, null::bigint, null::bigint, null::bigint
