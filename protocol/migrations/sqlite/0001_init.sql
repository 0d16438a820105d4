-- The four tables every cairnq SDK shares. The ledger, cairnq_migrations, belongs to the runner.
--
-- JSON lives in text columns, so SQLite is asked to keep out what Postgres's jsonb would refuse.
-- Creation is conditional throughout: an operator may have built an index ahead of the upgrade.

create table if not exists cairnq_tasks (
  id                     text primary key,
  name                   text not null,
  queue                  text not null default 'default',
  status                 text not null
    check (status in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  payload                text not null check (json_valid(payload)),
  result                 text check (result is null or json_valid(result)),
  error                  text check (error is null or json_valid(error)),
  metadata               text not null default '{}' check (json_valid(metadata)),
  -- 0 to 1 by convention; nothing enforces it.
  progress               real,
  message                text,
  -- Claims so far: the first run of a task is attempt 1.
  attempt                integer not null default 0,
  max_attempts           integer not null default 3,
  priority               integer not null default 0,
  worker_id              text,
  -- Set exactly while status is 'running'.
  lease_until_ms         integer,
  run_at_ms              integer not null,
  cancel_requested_at_ms integer,
  parent_id              text,
  root_id                text,
  correlation_id         text,
  created_at_ms          integer not null,
  updated_at_ms          integer not null,
  completed_at_ms        integer
);

-- Filter equality first, then the claim order, so that the first rows of the scan are the answer.
create index if not exists cairnq_tasks_claim_idx
  on cairnq_tasks (queue, status, priority desc, created_at_ms);
create index if not exists cairnq_tasks_status_idx on cairnq_tasks (status);
create index if not exists cairnq_tasks_name_idx on cairnq_tasks (name);
create index if not exists cairnq_tasks_root_idx on cairnq_tasks (root_id);
create index if not exists cairnq_tasks_correlation_idx on cairnq_tasks (correlation_id);

-- A key points at the newest task submitted under it and vanishes with that task.
create table if not exists cairnq_task_keys (
  key           text primary key,
  task_id       text not null references cairnq_tasks (id) on delete cascade,
  created_at_ms integer not null,
  updated_at_ms integer not null
);

create table if not exists cairnq_meta (
  key   text primary key,
  value text not null
);

insert into cairnq_meta (key, value) values ('protocol_version', '1')
on conflict (key) do nothing;

insert into cairnq_meta (key, value) values ('schema_version', '1')
on conflict (key) do update set value = excluded.value;
