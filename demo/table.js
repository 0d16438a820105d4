import { styleText } from 'node:util';

const header = ['task', 'status', 'tasks', 'attempts', 'time', 'tasks/s'];
const firstNumber = header.indexOf('tasks');

/**
 * What happened, by name and status. A row's time runs from its first submit to its last end.
 * @param {import('../index.js').Task[]} tasks
 * @param {typeof import('./handlers.js').seen | undefined} seen what the worker reported of itself
 */
export function printTable(tasks, seen) {
  /** @type {Map<string, import('../index.js').Task[]>} */
  const groups = new Map();
  for (const task of tasks) {
    const key = `${task.name} ${task.status}`;
    const group = groups.get(key);
    if (group) group.push(task);
    else groups.set(key, [task]);
  }
  const rows = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => row(group[0].name, group[0].status, group));
  const total = row('all', '', tasks);
  const widths = header.map((_, i) =>
    Math.max(...[header, ...rows, total].map((r) => r[i].length)),
  );
  const line = (cells) =>
    cells
      .map((cell, i) => (i < firstNumber ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  console.log(bold(line(header)));
  for (const cells of rows) console.log(line(cells));
  console.log(bold(line(total)));
  if (!seen) return;
  console.log(`\n${seen.batches} batches of at most ${seen.largestBatch} files`);
  console.log(`the disk resource (2 units) was used by ${seen.diskPeak} handlers at most`);
}

function row(name, status, group) {
  const attempts = group.reduce((sum, task) => sum + task.attempt, 0);
  const began = least(group.map((task) => task.created_at_ms));
  const ended = -least(group.map((task) => -(task.completed_at_ms ?? task.updated_at_ms)));
  const ms = ended - began;
  const rate = group.length > 1 ? Math.round((group.length * 1000) / Math.max(ms, 1)) : '';
  return [name, status, String(group.length), String(attempts), `${ms} ms`, String(rate)];
}

const least = (numbers) => numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);

function bold(text) {
  return process.stdout.isTTY ? styleText('bold', text) : text;
}
