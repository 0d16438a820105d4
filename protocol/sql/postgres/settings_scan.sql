-- For the rest of a transaction that reads a whole table, where walking an index would be the slow way.
select set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
  set_config('enable_sort', 'on', true), set_config('plan_cache_mode', 'auto', true)
