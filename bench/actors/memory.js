import { Worker } from '../../index.js';
import { median } from '../harness/statistics.js';
import { openStore } from './open-store.js';

const MEGABYTE = 2 ** 20;

/**
 * Resident memory of the process while it drains a long backlog.
 * @param {{ store: object, tasks: number }} params
 */
export async function run({ store: where, tasks }) {
  const store = openStore(where);
  const worker = new Worker(store, ['default'], { concurrency: 64 });
  const samples = [];
  let done = 0;
  worker.task('noop', async () => {
    done += 1;
    if (done % 5_000 === 0) samples.push(process.memoryUsage.rss() / MEGABYTE);
    if (done === tasks) worker.stop();
  });
  await worker.run();
  await store.close();
  const quarter = Math.floor(samples.length / 4);
  return {
    mostMb: Math.max(...samples),
    secondQuarterMb: median(samples.slice(quarter, 2 * quarter)),
    lastQuarterMb: median(samples.slice(-quarter)),
  };
}
