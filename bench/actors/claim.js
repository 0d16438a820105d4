import { performance } from 'node:perf_hooks';
import { openStore } from './open-store.js';

/**
 * Milliseconds of claims of one task, as a worker makes them: its queues, its names.
 * @param {{ store: object, queues: string[], times: number }} params
 */
export async function run({ store: where, queues, times }) {
  const store = openStore(where);
  await store.connect();
  const claim = { queues, workerId: 'worker_bench', names: ['noop'], limit: 1 };
  const took = [];
  for (let index = -5; index < times; index += 1) {
    const started = performance.now();
    const rows = await store.claim(claim);
    if (index >= 0) took.push(performance.now() - started);
    if (rows.length !== 1) throw new Error(`claimed ${rows.length} of a backlog`);
  }
  await store.close();
  return { took };
}
