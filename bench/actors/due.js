import { performance } from 'node:perf_hooks';
import { CairnQ, Worker } from '../../index.js';
import { deferred } from '../harness/deferred.js';
import { openStore } from './open-store.js';

/**
 * How late tasks start after they are due, when this process wrote the due time: delayed submits, and retries after
 * their backoff.
 * @param {{ store: object, tasks: number }} params
 */
export async function run({ store: where, tasks }) {
  const store = openStore(where);
  const client = new CairnQ(store);
  await client.connect();
  // Room for all of them: what is measured is the wait for the time, not for a slot.
  const worker = new Worker(store, ['default'], { concurrency: tasks * 2, retryBackoffMs: 400 });
  const starts = new Map();
  const all = deferred();
  const note = (id) => {
    starts.set(id, performance.timeOrigin + performance.now());
    if (starts.size === tasks * 2) all.resolve();
  };
  worker.task('delayed', async ({ taskId }) => note(taskId));
  worker.task('retried', async ({ taskId, attempt }) => {
    if (attempt === 1) throw new Error('once more');
    note(taskId);
  });
  const late = await worker.background(async () => {
    const ids = { delayed: [], retried: [] };
    for (let index = 0; index < tasks; index += 1) {
      const runAtDelayMs = Math.round(100 + Math.random() * 900);
      ids.delayed.push((await client.submit('delayed', {}, { runAtDelayMs })).id);
      ids.retried.push((await client.submit('retried', {})).id);
    }
    await all.promise;
    return {
      delayed: await lateness(client, ids.delayed, starts),
      retried: await lateness(client, ids.retried, starts),
    };
  });
  await client.close();
  return late;
}

async function lateness(client, ids, starts) {
  const rows = await Promise.all(ids.map((id) => client.get(id)));
  return rows.map(({ id, run_at_ms: due }) => starts.get(id) - due);
}
