-- Push wake-ups. cairnq_queued carries the name of a queue that has something new to claim,
-- cairnq_done the id of a task that has just ended. Both are hints: whoever misses one still polls.
--
-- The trigger's one optional argument is put in front of both channel names. Channels are shared by
-- a whole database, so an installation in a schema of its own may recreate the trigger with a
-- prefix and listen there; without an argument the names are the ones every SDK listens on.
create or replace function cairnq_notify() returns trigger
language plpgsql as $$
declare
  channel text;
  payload text;
begin
  if new.status = 'queued' then
    if tg_op = 'INSERT' or old.status <> 'queued' then
      channel := 'cairnq_queued';
      payload := new.queue;
    end if;
  elsif tg_op = 'UPDATE' and old.status in ('queued', 'running') then
    channel := 'cairnq_done';
    payload := new.id;
  end if;
  -- A hint must never make the write that caused it fail: pg_notify refuses payloads of 8,000 bytes
  -- and more, and a commit refuses when a listener stuck in a transaction has let the server's queue
  -- fill up. Half of it is left to whoever else uses this database.
  if channel is not null and octet_length(payload) < 8000
    and pg_notification_queue_usage() < 0.5
  then
    perform pg_notify(coalesce(tg_argv[0], '') || channel, payload);
  end if;
  return null;
end
$$;

-- Claims are the most frequent change of status and concern nobody but the claimer.
create or replace trigger cairnq_tasks_notify
  after insert or update of status on cairnq_tasks
  for each row when (new.status <> 'running')
  execute function cairnq_notify();
