/** What leases look like from outside. */
import { until } from '../spec/events.js';

/** When the lease of a running task ends, or null. */
export async function leaseEnd(stage, id) {
  return (await stage.row(id)).lease_until_ms;
}

/** Resolves right after a renewal. */
export async function renewed(stage, id, { timeoutMs = 10_000 } = {}) {
  const before = await leaseEnd(stage, id);
  return until(async () => (await leaseEnd(stage, id)) > before, {
    timeoutMs,
    what: `a renewal of ${id}`,
  });
}

/**
 * Writes down every return of a running task to the queue, with the time its lease had left. A lease that
 * had really ended has none; a task that was handed back unstarted has its attempt taken back.
 */
export async function watchRequeues(stage) {
  await stage.sql(
    'create table requeues (id text, attempt integer, handed_back boolean, left_ms bigint)',
  );
  await stage.sql(`create function note_requeue() returns trigger language plpgsql as $$
    begin
      insert into requeues values (old.id, old.attempt, new.attempt < old.attempt, old.lease_until_ms
        - (extract(epoch from clock_timestamp()) * 1000)::bigint);
      return null;
    end $$`);
  await stage.sql(`create trigger note_requeue after update on cairnq_tasks for each row
    when (old.status = 'running' and new.status = 'queued') execute function note_requeue()`);
  return () => stage.sql('select * from requeues');
}
