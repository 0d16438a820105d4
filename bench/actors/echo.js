import { Worker } from '../../index.js';
import { openStore } from './open-store.js';

/** A worker with default options that answers until it is told to stop. */
export async function run({ store: where }, { ready, told }) {
  const store = openStore(where);
  const worker = new Worker(store);
  worker.task('ping', async (_context, payload) => payload);
  await worker.background(async () => {
    ready();
    await told;
  });
  await store.close();
  return {};
}
