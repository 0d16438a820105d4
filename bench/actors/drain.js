import { performance } from 'node:perf_hooks';
import { Worker } from '../../index.js';
import { Gaps } from '../harness/gaps.js';
import { percentile } from '../harness/statistics.js';
import { javascriptThreadSeconds } from '../harness/thread-cpu.js';
import { openStore } from './open-store.js';
import { handleNoop, warmUpWorkers } from './warm-up.js';

/**
 * Drains a queue of no-op tasks with one worker. The clock runs from run() on an open store until every outcome is
 * in the database.
 * @param {{ store: object, tasks: number, options: object, batch?: number, watch?: boolean,
 *   fresh?: boolean }} params, fresh when nothing is to warm up the process
 */
export async function run({ store: where, tasks, options, batch, watch = false, fresh = false }) {
  if (!fresh) await warmUpWorkers({ options, batch });
  const store = openStore(where);
  await store.connect();
  const worker = new Worker(store, ['default'], { ...options, onError: (error) => fail(error) });
  let failure = null;
  const fail = (error) => {
    failure ??= error;
    worker.stop();
  };
  let done = 0;
  const count = (handled) => {
    done += handled;
    if (done === tasks) worker.stop();
  };
  handleNoop(worker, batch, count);

  const gaps = watch ? new Gaps() : null;
  const cpu = javascriptThreadSeconds();
  const started = performance.now();
  await worker.run();
  const seconds = (performance.now() - started) / 1000;
  const cpuUs = cpu === null ? 0 : ((javascriptThreadSeconds() - cpu) * 1e6) / tasks;
  const late = gaps?.stop() ?? [0];
  if (failure !== null) throw failure;
  await check(store, tasks);
  await store.close();
  return {
    perSecond: tasks / seconds,
    cpuUs,
    worstGapMs: Math.max(...late),
    delayP99Ms: Math.max(0, percentile(late, 99) - 10),
  };
}

/** A rate over tasks that are not done would be a lie. */
async function check(store, tasks) {
  const { default: counts } = await store.stats('default');
  if (counts.succeeded !== tasks) throw new Error(`left behind: ${JSON.stringify(counts)}`);
}
