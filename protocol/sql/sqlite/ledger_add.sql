insert into cairnq_migrations (name, applied_at_ms) values (?1, ?2);
