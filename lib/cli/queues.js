/** Queues as rows of a table. */
import { ago, clean, count } from './format.js';
import { STATUS_COLOURS } from './terminal.js';

export const QUEUE_COLUMNS = [
  { title: 'QUEUE' },
  ...['DUE', 'DELAYED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED', 'OLDEST'].map((title) => ({
    title,
    right: true,
  })),
];

const STATUSES = ['queued', 'delayed', 'running', 'succeeded', 'failed', 'canceled'];

/**
 * @param {Awaited<ReturnType<import('../inspect/inspector.js').Inspector['overview']>>} overview
 * @param {import('./terminal.js').Terminal['paint']} paint
 */
export function queueRows({ queues, nowMs }, paint) {
  return queues.map(({ queue, counts, capped, oldestDueMs }) => [
    clean(queue),
    ...STATUSES.map((status) => {
      const text = count(counts[status], capped.includes(status));
      return counts[status] === 0 ? text : paint(STATUS_COLOURS[status], text);
    }),
    ago(oldestDueMs, nowMs),
  ]);
}
