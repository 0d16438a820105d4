/**
 * The metrics of a database, from the inspector's overview of it.
 *
 * @typedef {import('./exposition.js').Exposition} Exposition
 * @typedef {import('./exposition.js').Labels} Labels
 * @typedef {import('../../inspect.js').QueueOverview} QueueOverview
 */

/**
 * @param {Exposition} text
 * @param {import('../../inspect.js').Overview} overview
 */
export function writeStore(text, { nowMs, schemaLevel, queues, capped }) {
  text.family('gauge', 'cairnq_schema_level', 'Level of the database schema.', [[{}, schemaLevel]]);
  text.family('gauge', 'cairnq_queues_capped', '1 when there are more queues than are listed.', [
    [{}, Number(capped)],
  ]);
  text.family(
    'gauge',
    'cairnq_queue_tasks',
    'Tasks in the database; counting stops at a cap.',
    byStatus(queues, (_queue, _status, count) => count),
  );
  text.family(
    'gauge',
    'cairnq_queue_tasks_capped',
    '1 where cairnq_queue_tasks stopped at its cap, and there may be more.',
    byStatus(queues, (queue, status) => Number(queue.capped.includes(status))),
  );
  text.family(
    'gauge',
    'cairnq_queue_oldest_due_seconds',
    'How long the task that has been due longest has waited; 0 when none is due.',
    queues.map(({ queue, oldestDueMs }) => [
      { queue },
      oldestDueMs === null ? 0 : Math.max(0, nowMs - oldestDueMs) / 1000,
    ]),
  );
}

/**
 * @param {QueueOverview[]} queues
 * @param {(queue: QueueOverview, status: any, count: number) => number} measure
 * @returns {[Labels, number][]}
 */
function byStatus(queues, measure) {
  return queues.flatMap((queue) =>
    Object.entries(queue.counts).map(
      ([status, count]) =>
        /** @type {[Labels, number]} */ ([
          { queue: queue.queue, status },
          measure(queue, status, count),
        ]),
    ),
  );
}
