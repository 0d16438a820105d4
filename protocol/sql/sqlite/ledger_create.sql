create table if not exists cairnq_migrations (
  name          text primary key,
  applied_at_ms integer not null
);
