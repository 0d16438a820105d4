import { OK } from '../exit.js';
import { ago, clean, cut } from '../format.js';
import { inspecting } from '../open.js';
import { table } from '../table.js';
import { STATUS_COLOURS } from '../terminal.js';
import { whole } from '../values.js';

/** How long one question looks for tasks that no index finds. */
const LOOKING_MS = 500;

/** @type {import('../options.js').Command} */
export const ls = {
  name: 'ls',
  summary: 'tasks, newest first, with every filter',
  operands: 'TARGET',
  about: [
    'Lists tasks, newest first, a page at a time. The last line says how to see the next page.',
    '--ids prints nothing but ids, for retry and cancel to read.',
  ],
  options: {
    status: {
      type: 'string',
      value: 'STATUS',
      help: 'queued, running, succeeded, failed or canceled',
    },
    queue: { type: 'string', value: 'QUEUE', help: 'only this queue' },
    name: { type: 'string', value: 'NAME', help: 'only tasks of this name' },
    root: { type: 'string', value: 'ID', help: 'only the family of this root' },
    correlation: { type: 'string', value: 'ID', help: 'only tasks of this correlation id' },
    parent: { type: 'string', value: 'ID', help: 'only children of this task' },
    key: { type: 'string', value: 'KEY', help: 'only the task of this key' },
    limit: { type: 'string', value: 'N', help: 'tasks on a page, 1 to 500 (50)' },
    before: { type: 'string', value: 'ID', help: 'the next page: tasks older than this id' },
    full: { type: 'boolean', help: 'with --json: payload, result and metadata too' },
    ids: { type: 'boolean', help: 'ids only, one a line' },
  },
  examples: [
    'cairnq ls tasks.db --status failed --name mail.send',
    'cairnq ls tasks.db --status failed --ids | cairnq retry tasks.db -',
  ],
  async run(call) {
    const { values, terminal } = call;
    const { status, queue, name, key, full } = values;
    const limit = whole(values.limit ?? '50', '--limit', { least: 1, most: 500 });
    const filter = {
      status,
      queue,
      name,
      key,
      full,
      rootId: values.root,
      correlationId: values.correlation,
      parentId: values.parent,
    };
    return await inspecting(call, async (inspector) => {
      const further = () => {
        if (terminal.stderr.isTTY) terminal.note('no index helps here: looking further back …');
      };
      const page = await filledPage(inspector, filter, values.before ?? null, limit, further);
      if (values.ids) for (const { id } of page.tasks) terminal.line(id);
      else terminal.answer(page, () => printPage(page, terminal));
      return OK;
    });
  },
};

/**
 * One page of the inspector may be short of tasks and not the last.
 *
 * @param {import('../../inspect/inspector.js').Inspector} inspector
 * @param {any} filter
 * @param {string | null} before
 * @param {number} limit
 * @param {() => void} [further] called once when it takes longer
 */
export async function filledPage(inspector, filter, before, limit, further) {
  /** @type {any[]} */
  const tasks = [];
  let next = before;
  let nowMs;
  let pages = 0;
  do {
    pages += 1;
    if (pages === 2) further?.();
    const page = await inspector.page({
      ...filter,
      before: next,
      limit: limit - tasks.length,
      lookForMs: LOOKING_MS,
    });
    tasks.push(...page.tasks);
    ({ next, nowMs } = page);
  } while (next !== null && tasks.length < limit);
  return { nowMs, tasks, next };
}

const COLUMNS = [
  { title: 'ID' },
  { title: 'STATUS' },
  { title: 'QUEUE' },
  { title: 'NAME' },
  { title: 'ATTEMPT', right: true },
  { title: 'AGE', right: true },
  { title: 'SAYS' },
];

/**
 * @param {{ nowMs: number, tasks: any[], next: string | null }} page
 * @param {import('../terminal.js').Terminal} terminal
 */
function printPage({ nowMs, tasks, next }, terminal) {
  const { paint } = terminal;
  const rows = tasks.map((task) => [
    task.id,
    paint(STATUS_COLOURS[task.status], task.status),
    clean(task.queue),
    clean(task.name),
    `${task.attempt}/${task.max_attempts}`,
    ago(task.created_at_ms, nowMs),
    cut(says(task, nowMs), 60),
  ]);
  if (rows.length === 0) terminal.line('no tasks');
  else {
    const bold = (/** @type {string} */ text) => paint('bold', text);
    for (const line of table(COLUMNS, rows, bold)) terminal.line(line);
  }
  if (next !== null) terminal.line(paint('dim', `next page: --before ${next}`));
}

/**
 * The one thing worth knowing of a task in a list.
 *
 * @param {any} task
 * @param {number} nowMs
 */
function says(task, nowMs) {
  if (task.status === 'running') {
    const progress = task.progress === null ? '' : `${Math.round(task.progress * 100)} % `;
    const cancel = task.cancel_requested_at_ms === null ? '' : 'cancel requested ';
    return `${cancel}${progress}${clean(task.message ?? '')}`.trim();
  }
  if (task.status === 'queued' && task.run_at_ms > nowMs) {
    return `due in ${ago(nowMs, task.run_at_ms)}`;
  }
  if (task.error !== null && task.status !== 'succeeded') {
    // A peer may have stored an error of another shape.
    const { code, message } = Object(task.error);
    return clean([code, message].filter((part) => part !== undefined).join(': '));
  }
  return clean(task.message ?? '');
}
