select (select page_count from pragma_page_count) as pages, (select page_size from pragma_page_size) as page_bytes,
  (select freelist_count from pragma_freelist_count) as free_pages,
  (select journal_mode from pragma_journal_mode) as journal_mode,
  (select count(*) from (select 1 from cairnq_tasks limit 1001)) as tasks, sqlite_version() as version
