import { performance } from 'node:perf_hooks';
import { median } from '../harness/statistics.js';
import { openStore } from './open-store.js';

/**
 * Milliseconds of renewing many leases at once.
 * @param {{ store: object, leases: number }} params
 */
export async function run({ store: where, leases }) {
  const store = openStore(where);
  await store.connect();
  const workerId = 'worker_bench';
  const leaseMs = 600_000;
  const rows = await store.claim({ queues: ['default'], workerId, leaseMs, limit: leases });
  const taskIds = rows.map(({ id }) => id);
  const took = [];
  for (let beat = 0; beat < 5; beat += 1) {
    const started = performance.now();
    const renewed = await store.heartbeatBatch({ taskIds, workerId, leaseMs });
    took.push(performance.now() - started);
    if (renewed.size !== leases) throw new Error(`renewed ${renewed.size}`);
  }
  await store.close();
  return median(took);
}
