/**
 * @typedef {import('../index.js').TaskStatus} TaskStatus
 */
import { STATUSES } from './task.js';

/**
 * Counts by queue and status with the zeros filled in. Built through a Map because a queue may be
 * called `__proto__`.
 *
 * @param {[queue: string, status: TaskStatus, count: number][]} rows
 * @param {string | null} always a queue that is present even when empty
 * @returns {Record<string, Record<TaskStatus, number>>}
 */
export function statsByQueue(rows, always) {
  /** @type {Map<string, Record<TaskStatus, number>>} */
  const byQueue = new Map();
  if (always !== null) byQueue.set(always, zeros());
  for (const [queue, status, count] of rows) {
    let counts = byQueue.get(queue);
    if (counts === undefined) {
      counts = zeros();
      byQueue.set(queue, counts);
    }
    counts[status] = count;
  }
  return Object.fromEntries(byQueue);
}

function zeros() {
  return /** @type {Record<TaskStatus, number>} */ (
    Object.fromEntries(STATUSES.map((status) => [status, 0]))
  );
}
