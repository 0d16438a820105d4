import { performance } from 'node:perf_hooks';
import { openStore } from './open-store.js';

/**
 * Milliseconds of one purge of 1,000 rows.
 * @param {{ store: object }} params
 */
export async function run({ store: where }) {
  const store = openStore(where);
  await store.connect();
  const started = performance.now();
  const ids = await store.purge({ limit: 1000 });
  const took = performance.now() - started;
  if (ids.length !== 1000) throw new Error(`purged ${ids.length}`);
  await store.close();
  return took;
}
