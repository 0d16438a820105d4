import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { CairnQ, Worker } from '../../index.js';
import { openStore } from './open-store.js';

const WARM_UP = 10;

/**
 * Times call() while the worker has nothing else to do. Without `worker` another process runs it.
 * @param {{ store: object, calls: number, worker: boolean }} params
 */
export async function run({ store: where, calls, worker: here }) {
  const client = new CairnQ(openStore(where));
  await client.connect();
  const times = here
    ? await beside(openStore(where), () => callRepeatedly(client, calls))
    : await callRepeatedly(client, calls);
  await client.close();
  return { times };
}

async function beside(store, measure) {
  const worker = new Worker(store);
  worker.task('ping', async (_context, payload) => payload);
  try {
    return await worker.background(measure);
  } finally {
    await store.close();
  }
}

async function callRepeatedly(client, calls) {
  const times = [];
  for (let index = -WARM_UP; index < calls; index += 1) {
    // Long enough for the worker to have gone to sleep, and never in step with any poll.
    await sleep(8 + Math.random() * 12);
    const started = performance.now();
    await client.call('ping', { index });
    if (index >= 0) times.push(performance.now() - started);
  }
  return times;
}
