import { CliError, OK, PROBLEM, usage } from '../exit.js';
import { clean, moment, span } from '../format.js';
import { inspecting } from '../open.js';
import { STATUS_COLOURS } from '../terminal.js';
import { familyTree } from '../tree.js';

/** @type {import('../options.js').Command} */
export const show = {
  name: 'show',
  summary: 'everything about one task, and its family tree',
  operands: 'TARGET [ID]',
  least: 1,
  most: 2,
  about: [
    'Shows a task by its id or by its key: what it is, what became of it, its payload, result and error,',
    'and the tree of tasks that share its root.',
  ],
  options: { key: { type: 'string', value: 'KEY', help: 'the task of this key instead of an id' } },
  examples: ['cairnq show tasks.db --key report-5', 'cairnq show tasks.db task_01J…'],
  async run(call) {
    const { operands, values, terminal } = call;
    const [id] = operands;
    if ((id === undefined) === (values.key === undefined)) {
      throw usage('show takes an ID or --key KEY, one of the two');
    }
    return await inspecting(call, async (inspector) => {
      const found = await inspector.task(id ?? { key: values.key });
      if (found === null) {
        const what = id === undefined ? `key ${clean(values.key)}` : `id ${clean(id)}`;
        throw new CliError(PROBLEM, `there is no task with the ${what}`);
      }
      terminal.answer(found, () => printTask(found, terminal));
      return OK;
    });
  },
};

/**
 * @param {NonNullable<Awaited<ReturnType<import('../../inspect/inspector.js').Inspector['task']>>>} found
 * @param {import('../terminal.js').Terminal} terminal
 */
function printTask({ task, keys, nowMs, family, familyCapped }, terminal) {
  const { paint } = terminal;
  /** @type {[string, string][]} */
  const facts = [
    ['id', task.id],
    ['name', clean(task.name)],
    ['queue', clean(task.queue)],
    ['status', paint(STATUS_COLOURS[task.status], task.status)],
    ['attempt', `${task.attempt} of ${task.max_attempts}`],
    ['priority', String(task.priority)],
    ['created', moment(task.created_at_ms, nowMs)],
    [task.status === 'queued' ? 'due' : 'was due', moment(task.run_at_ms, nowMs)],
    ['last write', moment(task.updated_at_ms, nowMs)],
  ];
  if (task.completed_at_ms !== null) {
    facts.push(['ended', moment(task.completed_at_ms, nowMs)]);
    facts.push(['due to end', span(task.completed_at_ms - task.run_at_ms)]);
  }
  if (task.worker_id !== null) facts.push(['worker', clean(task.worker_id)]);
  if (task.lease_until_ms !== null) facts.push(['lease until', moment(task.lease_until_ms, nowMs)]);
  if (task.cancel_requested_at_ms !== null) {
    facts.push(['cancel asked', moment(task.cancel_requested_at_ms, nowMs)]);
  }
  if (task.progress !== null) facts.push(['progress', `${Math.round(task.progress * 100)} %`]);
  if (task.message !== null) facts.push(['message', clean(task.message)]);
  if (keys.length > 0) facts.push(['keys', keys.map(clean).join(', ')]);
  if (task.parent_id !== null) facts.push(['parent', clean(task.parent_id)]);
  if (task.root_id !== null) facts.push(['root', clean(task.root_id)]);
  if (task.correlation_id !== null) facts.push(['correlation', clean(task.correlation_id)]);

  const width = Math.max(...facts.map(([name]) => name.length));
  for (const [name, value] of facts) terminal.line(`${paint('dim', name.padEnd(width))}  ${value}`);
  for (const name of /** @type {const} */ (['error', 'payload', 'result', 'metadata'])) {
    const value = task[name];
    if (value === null || (name === 'metadata' && Object.keys(value).length === 0)) continue;
    terminal.line();
    terminal.line(paint('bold', name));
    for (const line of JSON.stringify(value, null, 2).split('\n'))
      terminal.line(`  ${clean(line)}`);
  }
  if (family.length > 1) {
    terminal.line();
    terminal.line(paint('bold', 'family'));
    for (const line of familyTree(family, task.id, paint)) terminal.line(`  ${line}`);
    if (familyCapped) terminal.line('  … and more');
  }
}
