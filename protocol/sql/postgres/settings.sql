-- $1: the schema, or null to leave search_path alone; $2: for this transaction only.
-- Statistics say nothing true about a queue that fills and drains within a minute, and a plan that is kept from the day
-- the table was empty must serve it with a million rows: so the planner is left no plan that is not an index walk.
select
  case when $1::text is not null then set_config('search_path', quote_ident($1::text), $2::boolean) end,
  set_config('plan_cache_mode', 'force_generic_plan', $2),
  set_config('enable_seqscan', 'off', $2),
  set_config('enable_bitmapscan', 'off', $2),
  set_config('enable_hashjoin', 'off', $2),
  set_config('enable_mergejoin', 'off', $2),
  set_config('enable_sort', 'off', $2),
  set_config('jit', 'off', $2),
  pg_backend_pid(),
  current_setting('transaction_read_only') = 'on',
  pg_is_in_recovery()
