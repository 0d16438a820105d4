import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '../../index.js';
import { openStore } from './open-store.js';

/**
 * One of several workers on a queue: begins when it is told to, ends when nothing is queued any more.
 * @param {{ store: object, options: object }} params
 * @returns {Promise<{ handled: number, lastAt: number }>} when its last handler ran, in ms since 1970
 */
export async function run({ store: where, options }, { ready, told }) {
  const store = openStore(where);
  await store.connect();
  const worker = new Worker(store, ['default'], options);
  let handled = 0;
  let lastAt = 0;
  worker.task('noop', async () => {
    handled += 1;
    lastAt = performance.timeOrigin + performance.now();
  });
  ready();
  await told;
  await worker.background(async () => {
    for (let before = -1; before !== handled || !(await isEmpty(store)); ) {
      before = handled;
      await sleep(50);
    }
  });
  await store.close();
  return { handled, lastAt };
}

async function isEmpty(store) {
  return (await store.queueDepth('default', 1)) === 1;
}
