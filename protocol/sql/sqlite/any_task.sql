select exists (select 1 from cairnq_tasks);
