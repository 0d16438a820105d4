/**
 * Who runs what now. There is no table of workers: one is seen by the tasks it holds, and not at all while
 * it is idle.
 *
 * @typedef {import('../store.js').TaskStore} TaskStore
 */
import { ask } from './ask.js';

const MAX_RUNNING = 2_000;

/** @param {TaskStore} store */
export async function workers(store) {
  const { rows, now_ms } = await ask(store, 'running', [MAX_RUNNING]);
  /** @type {Map<string, any>} */
  const found = new Map();
  for (const row of rows) {
    const workerId = row.worker_id ?? '';
    let worker = found.get(workerId);
    if (worker === undefined) {
      worker = { workerId, running: 0, oldestLeaseUntilMs: row.lease_until_ms, tasks: [] };
      found.set(workerId, worker);
    }
    worker.running += 1;
    worker.tasks.push({
      id: row.id,
      name: row.name,
      queue: row.queue,
      attempt: row.attempt,
      maxAttempts: row.max_attempts,
      progress: row.progress,
      message: row.message,
      runAtMs: row.run_at_ms,
      updatedAtMs: row.updated_at_ms,
      leaseUntilMs: row.lease_until_ms,
      cancelRequestedAtMs: row.cancel_requested_at_ms,
      // Each failed attempt leaves an error; an attempt whose lease ended leaves none.
      silentAttempts: row.attempt > 1 && Boolean(row.no_error),
    });
  }
  return { nowMs: now_ms, capped: rows.length >= MAX_RUNNING, workers: [...found.values()] };
}
