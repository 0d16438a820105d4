/**
 * Pages of tasks, newest first. The order is that of the ids, which begin with the time a task was made:
 * the one order that every schema level has an index for.
 *
 * Two ways lead to a page. When an index gives few enough rows for the filter, they are gathered and put
 * in order; else the newest tasks are walked and looked at one by one, a bounded number at a time. A walk
 * that ends early gives a short page and says where to go on.
 *
 * @typedef {import('../store.js').TaskStore} TaskStore
 * @typedef {import('./ask.js').Filter} Filter
 * @typedef {{ before: string | null, limit: number, full: boolean, lookForMs: number }} PageOptions
 */
import { ask } from './ask.js';

/** Rows an index may give to be gathered, and rows that the first walk looks at. */
export const GATHERED = 1_500;
const WALKED = 6_000;

/** Rows that one further walk looks at, and how many times more than the one before it. */
const WALKED_MOST = 100_000;
const WALKED_MORE = 4;

/**
 * @param {TaskStore} store
 * @param {Filter} filter
 * @param {PageOptions} options
 */
export async function page(store, filter, options) {
  const by = await narrowest(store, filter);
  return by === null
    ? await walk(store, filter, options)
    : await gather(store, filter, by, options);
}

/**
 * @param {TaskStore} store
 * @param {Filter} filter
 * @param {string} by
 * @param {PageOptions} options
 */
async function gather(store, filter, by, { before, limit, full }) {
  const values = [limit, before, GATHERED];
  const { rows, now_ms } = await ask(store, 'gather', values, { filter, by, full });
  return { nowMs: now_ms, tasks: rows, next: rows.length < limit ? null : rows[limit - 1].id };
}

/**
 * Walks on until the page is filled, the tasks are at an end, or the time is up.
 *
 * @param {TaskStore} store
 * @param {Filter} filter
 * @param {PageOptions} options
 */
async function walk(store, filter, { before, limit, full, lookForMs }) {
  const begun = performance.now();
  /** @type {any[]} */
  const tasks = [];
  let next = before;
  let looked = WALKED;
  for (;;) {
    const since = performance.now();
    const values = [limit - tasks.length, next, looked];
    const { rows, now_ms } = await ask(store, 'walk', values, { filter, full });
    tasks.push(...rows);
    if (tasks.length === limit) return { nowMs: now_ms, tasks, next: tasks[limit - 1].id };
    next = await boundary(store, next, looked);
    const now = performance.now();
    const leftMs = begun + lookForMs - now;
    // What the rows cost differs a hundredfold, with their size and with whether they lie in memory.
    const affordable = Math.floor((looked / (now - since)) * leftMs);
    looked = Math.min(affordable, looked * WALKED_MORE, WALKED_MOST);
    if (next === null || looked < 1) return { nowMs: now_ms, tasks, next };
  }
}

/**
 * The index that gives the fewest rows, when that is few enough.
 *
 * @param {TaskStore} store
 * @param {Filter} filter
 */
async function narrowest(store, filter) {
  let least = GATHERED + 1;
  let by = null;
  for (const access of accesses(filter)) {
    const { rows } = await ask(store, 'matching', [least], { filter, by: access });
    if (rows[0].matching < least) {
      least = rows[0].matching;
      by = access;
    }
    if (least === 0) break;
  }
  return by;
}

/** @param {Filter} filter */
function accesses({ rootId, correlationId, queue, name, status }) {
  const given = (/** @type {unknown} */ value) => value !== null && value !== undefined;
  const found = [];
  if (given(rootId)) found.push('root');
  if (given(correlationId)) found.push('correlation');
  if (given(queue)) found.push(given(name) ? 'queueName' : 'queue');
  if (given(status)) found.push('status');
  if (given(name) && !given(queue)) found.push('name');
  return found;
}

/**
 * @param {TaskStore} store
 * @param {string | null} before
 * @param {number} looked rows looked at from there
 */
async function boundary(store, before, looked) {
  const { rows } = await ask(store, 'boundary', [looked, before]);
  return rows[0]?.id ?? null;
}
