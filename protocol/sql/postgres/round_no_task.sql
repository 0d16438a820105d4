,
  null::text, null::text, null::text, null::text, null::text, null::integer, null::integer, null::text, null::text,
  null::bigint, null::integer, null::bigint
