/**
 * What our workers and clients do before they are measured; see harness/warm-up.js for the reason.
 */
import { CairnQ, SQLiteStore, Worker } from '../../index.js';
import { OURS } from '../harness/warm-up.js';

/** @param {{ options: object, batch?: number }} how the measured worker works */
export async function warmUpWorkers(how) {
  for (let time = 0; time < OURS.times; time += 1) await drainInMemory(OURS.tasks, how);
}

/** @param {(client: CairnQ, tasks: number) => Promise<void>} submit */
export async function warmUpClients(submit) {
  for (let time = 0; time < OURS.times; time += 1) {
    const client = CairnQ.sqlite(':memory:');
    await submit(client, OURS.tasks);
    await client.close();
  }
}

async function drainInMemory(tasks, { options, batch }) {
  const store = new SQLiteStore(':memory:');
  const client = new CairnQ(store);
  await client.submitMany(Array.from({ length: tasks }, () => ({ name: 'noop', payload: {} })));
  const worker = new Worker(store, ['default'], options);
  let left = tasks;
  const count = (handled) => {
    left -= handled;
    if (left === 0) worker.stop();
  };
  handleNoop(worker, batch, count);
  await worker.run();
  await client.close();
}

/**
 * @param {Worker} worker
 * @param {number | undefined} batch
 * @param {(handled: number) => void} count
 */
export function handleNoop(worker, batch, count) {
  if (batch === undefined) worker.task('noop', async () => count(1));
  else worker.task('noop', { batch }, async (contexts) => count(contexts.length));
}
