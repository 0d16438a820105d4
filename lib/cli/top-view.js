/** The live view as lines of text: a function of what was read, so that it can be tested as one. */
import { clean, count, cut, span } from './format.js';
import { QUEUE_COLUMNS, queueRows } from './queues.js';
import { table } from './table.js';

/**
 * @typedef {{
 *   target: string,
 *   overview: Awaited<ReturnType<import('../inspect/inspector.js').Inspector['overview']>>,
 *   activity: Awaited<ReturnType<import('../inspect/inspector.js').Inspector['activity']>>,
 *   failures: { name: string, queue: string, failed: number, ended: number }[],
 *   workers: Awaited<ReturnType<import('../inspect/inspector.js').Inspector['workers']>>,
 * }} Look
 */

/**
 * @param {Look} look
 * @param {{ columns: number, rows: number }} screen
 * @param {import('./terminal.js').Terminal['paint']} paint
 * @returns {string[]} at most as many lines as the screen has
 */
export function topView(
  { target, overview, activity, failures, workers },
  { columns, rows },
  paint,
) {
  const head = (/** @type {string} */ text) => paint('bold', text);
  const seconds = activity.windowMs / 1_000;
  const rate = (/** @type {'submitted' | 'finished'} */ what) =>
    `${(activity[what] / seconds).toFixed(1)}${activity.capped.includes(what) ? '+' : ''}/s`;
  const due = overview.queues.reduce((sum, { counts }) => sum + counts.queued, 0);
  const running = workers.workers.reduce((sum, worker) => sum + worker.running, 0);
  const lines = [
    `${head('cairnq top')}  ${clean(target)}  ${new Date(overview.nowMs).toISOString().slice(11, 19)}`,
    `due ${count(due)}  running ${count(running, workers.capped)}  ` +
      `submitted ${rate('submitted')}  ended ${rate('finished')}  (over ${span(activity.windowMs)})`,
    '',
    ...table(QUEUE_COLUMNS, queueRows(overview, paint), head),
    ...(overview.capped ? ['… more queues'] : []),
    '',
    ...failureLines(failures, paint, head),
    ...workerLines(workers, paint, head),
  ];
  const shown = lines.length > rows - 1 ? [...lines.slice(0, rows - 2), '…'] : lines;
  return [...shown, paint('dim', 'q to quit')].map((line) => fitted(line, columns));
}

/**
 * @param {Look['failures']} failures
 * @param {import('./terminal.js').Terminal['paint']} paint
 * @param {(text: string) => string} head
 */
function failureLines(failures, paint, head) {
  if (failures.length === 0) return [];
  const rows = failures.map(({ name, queue, failed, ended }) => [
    clean(name),
    clean(queue),
    paint('red', count(failed)),
    `${Math.round((failed / ended) * 100)} %`,
  ]);
  const columns = [
    { title: 'FAILING' },
    { title: 'QUEUE' },
    { title: 'FAILED', right: true },
    { title: 'OF ENDED', right: true },
  ];
  return [...table(columns, rows, head), ''];
}

/**
 * @param {Look['workers']} workers
 * @param {import('./terminal.js').Terminal['paint']} paint
 * @param {(text: string) => string} head
 */
function workerLines({ workers, nowMs }, paint, head) {
  if (workers.length === 0) {
    return ['no worker holds a task (an idle worker leaves no trace in the database)'];
  }
  const rows = workers.map(({ workerId, running, oldestLeaseUntilMs, tasks }) => {
    const left = oldestLeaseUntilMs - nowMs;
    const names = [...new Set(tasks.map((/** @type {any} */ { name }) => clean(name)))];
    return [
      clean(workerId),
      count(running),
      left > 0 ? span(left) : paint('red', `expired ${span(-left)} ago`),
      cut(names.join(', '), 40),
    ];
  });
  const columns = [
    { title: 'WORKER' },
    { title: 'RUNNING', right: true },
    { title: 'LEASE LEFT', right: true },
    { title: 'TASKS' },
  ];
  return table(columns, rows, head);
}

/**
 * A coloured line cut to the screen: its text is cut, its colours are kept whole.
 *
 * @param {string} line
 * @param {number} columns
 */
function fitted(line, columns) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  const parts = line.split(/(\u001b\[\d+m)/);
  let left = columns;
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return part;
      const kept = [...part].slice(0, left);
      left -= kept.length;
      return kept.join('');
    })
    .join('');
}
