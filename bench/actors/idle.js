import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '../../index.js';
import { openStore } from './open-store.js';

/**
 * The CPU of a process whose worker has nothing to do, in percent of a core. Says when it begins to measure.
 * @param {{ store: object, seconds: number }} params
 */
export async function run({ store: where, seconds }, { ready }) {
  const store = openStore(where);
  const worker = new Worker(store);
  worker.task('noop', async () => {});
  const percent = await worker.background(async () => {
    // Compiling, statistics and the last checks after opening are over by then.
    await sleep(1_500);
    ready();
    const cpu = process.cpuUsage();
    const started = performance.now();
    await sleep(seconds * 1000);
    const used = process.cpuUsage(cpu);
    return (used.user + used.system) / 10 / (performance.now() - started);
  });
  await store.close();
  return { percent };
}
