import { OK } from '../exit.js';
import { ago, clean, count } from '../format.js';
import { inspecting } from '../open.js';
import { QUEUE_COLUMNS, queueRows } from '../queues.js';
import { table } from '../table.js';
import { durationMs } from '../values.js';

/** @type {import('../options.js').Command} */
export const stats = {
  name: 'stats',
  summary: 'how many tasks there are, by queue, status and name',
  operands: 'TARGET',
  about: [
    'Counts tasks by queue and status. With --names also by name: queued and running now, and those that',
    'ended within --since. A count is bounded; "10,000+" means at least that many.',
  ],
  options: {
    queue: { type: 'string', value: 'QUEUE', help: 'only this queue' },
    names: { type: 'boolean', help: 'by name as well' },
    since: { type: 'string', value: 'SPAN', help: 'how far back --names counts ended tasks (1h)' },
  },
  examples: ['cairnq stats tasks.db --names --since 24h'],
  async run(call) {
    const { values, terminal } = call;
    const { queue } = values;
    const sinceMs = Date.now() - durationMs(values.since ?? '1h', '--since');
    return await inspecting(call, async (inspector) => {
      const overview = await inspector.overview();
      if (queue !== undefined) {
        overview.queues = overview.queues.filter((known) => known.queue === queue);
      }
      const byName = values.names ? await inspector.names({ queue, sinceMs }) : undefined;
      terminal.answer(byName === undefined ? overview : { ...overview, byName }, () => {
        const { paint } = terminal;
        const bold = (/** @type {string} */ text) => paint('bold', text);
        for (const line of table(QUEUE_COLUMNS, queueRows(overview, paint), bold))
          terminal.line(line);
        if (overview.queues.length === 0) terminal.line('no tasks');
        if (overview.capped) terminal.line('there are more queues than are shown');
        if (byName === undefined) return;
        terminal.line();
        for (const line of table(NAME_COLUMNS, nameRows(byName), bold)) terminal.line(line);
        if (byName.capped) terminal.line('there are more names than are shown');
      });
      return OK;
    });
  },
};

const NAME_COLUMNS = [
  { title: 'NAME' },
  { title: 'QUEUE' },
  ...['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED', 'OLDEST'].map((title) => ({
    title,
    right: true,
  })),
];

/** @param {Awaited<ReturnType<import('../../inspect/inspector.js').Inspector['names']>>} names */
function nameRows({ names, nowMs }) {
  const byQueueAndName = [...names].sort((a, b) =>
    a.queue === b.queue ? (a.name < b.name ? -1 : 1) : a.queue < b.queue ? -1 : 1,
  );
  return byQueueAndName.map((row) => [
    clean(row.name),
    clean(row.queue),
    ...['queued', 'running', 'succeeded', 'failed', 'canceled'].map((status) =>
      count(row[status], row.capped.includes(status)),
    ),
    ago(row.oldestDueMs, nowMs),
  ]);
}
