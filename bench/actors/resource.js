import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { CairnQ, Worker } from '../../index.js';
import { openStore } from './open-store.js';

/**
 * From the end of one handler to the start of the next that waited for the resource it held.
 * @param {{ store: object, tasks: number }} params
 */
export async function run({ store: where, tasks }) {
  const store = openStore(where);
  const client = new CairnQ(store);
  await client.submitMany(Array.from({ length: tasks }, () => ({ name: 'held', payload: {} })));
  const worker = new Worker(store, ['default'], { concurrency: 8, resources: { gpu: 1 } });
  const waits = [];
  let started = 0;
  let freed = null;
  worker.task('held', { resource: 'gpu' }, async () => {
    if (freed !== null) waits.push(performance.now() - freed);
    started += 1;
    await sleep(5);
    if (started === tasks) worker.stop();
    freed = performance.now();
  });
  await worker.run();
  await client.close();
  return { waits };
}
