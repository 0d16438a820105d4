/**
 * How much there is of what: by queue and status, by queue and name, and what a window of time saw.
 *
 * @typedef {import('../store.js').TaskStore} TaskStore
 */
import { idAt } from '../ids.js';
import { ask } from './ask.js';
import { cappedCounts, share } from './bounds.js';

const MAX_QUEUES = 200;
const MAX_GROUPS = 1_000;
const MAX_COUNT = 10_000;

/**
 * Index entries that all counts of one answer may read, and rows looked up one by one. Postgres looks up most rows
 * that an index names, because a queue's pages are seldom vacuumed.
 */
const ENTRIES = { sqlite: 200_000, postgres: 30_000 };
const LOOKUPS = 8_000;

/** From this level on the claim's index has the due time, and nothing need be looked up. */
const DUE_LEVEL = 8;

const RECENT = 5_000;
const WINDOW_CAP = 50_000;

/** @param {TaskStore} store */
export async function queueNames(store) {
  // One more than is shown, and the row without a queue at which the walk ends.
  const { rows, level } = await ask(store, 'queues', [MAX_QUEUES + 2]);
  const queues = rows.map(({ queue }) => queue);
  return { queues: queues.slice(0, MAX_QUEUES), capped: queues.length > MAX_QUEUES, level };
}

/**
 * @param {TaskStore} store
 * @param {keyof typeof ENTRIES} backend
 */
export async function overview(store, backend) {
  const { queues, capped, level } = await queueNames(store);
  const bound = share(ENTRIES[backend], queues.length * 5, 100, MAX_COUNT);
  const looked =
    level >= DUE_LEVEL ? bound : Math.min(bound, share(LOOKUPS, queues.length, 50, 4_000));
  const { rows, now_ms } = await ask(store, 'counts', [JSON.stringify(queues), bound, looked]);
  return {
    nowMs: now_ms,
    schemaLevel: level,
    queues: queues.map((queue) =>
      queueCounts(
        queue,
        rows.filter((row) => row.queue === queue),
        bound,
        looked,
      ),
    ),
    capped,
  };
}

/**
 * @param {string} queue
 * @param {any[]} rows one per status
 * @param {number} bound
 * @param {number} looked
 */
function queueCounts(queue, rows, bound, looked) {
  /** @type {Record<string, number>} */
  const counts = {
    waiting: 0,
    queued: 0,
    delayed: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
  };
  /** @type {string[]} */
  const capped = [];
  /** @type {number | null} */
  let oldestDueMs = null;
  for (const { status, counted, delayed, oldest_due_ms } of rows) {
    if (status === 'queued') {
      counts.waiting = counted;
      counts.delayed = delayed;
      counts.queued = Math.min(counted, looked) - delayed;
      oldestDueMs = oldest_due_ms;
      if (counted >= bound) capped.push('waiting');
      if (counted > looked || counted >= bound) capped.push('queued', 'delayed');
    } else {
      counts[status] = counted;
      if (counted >= bound) capped.push(status);
    }
  }
  return { queue, counts, capped, oldestDueMs };
}

/**
 * @param {TaskStore} store
 * @param {keyof typeof ENTRIES} backend
 * @param {{ queue?: string | null, sinceMs?: number | null }} options
 */
export async function names(store, backend, { queue = null, sinceMs = null } = {}) {
  const { queues, capped: queuesCapped } =
    queue === null ? await queueNames(store) : { queues: [queue], capped: false };
  const groups = (await ask(store, 'groups', [JSON.stringify(queues), MAX_GROUPS])).rows;
  const bound = share(ENTRIES[backend], groups.length, 100, MAX_COUNT);
  const { rows, now_ms } = await ask(store, 'tally', [JSON.stringify(groups), bound]);
  const since = sinceMs ?? now_ms - 3_600_000;
  const recent = (await ask(store, 'finished_by_name', [Math.floor(since), RECENT])).rows;
  const window = recent.reduce((sum, { counted }) => sum + counted, 0) >= RECENT;

  /** @type {Map<string, any>} */
  const found = new Map();
  const of = (/** @type {any} */ row) => {
    const key = JSON.stringify([row.queue, row.name]);
    let entry = found.get(key);
    if (entry === undefined) {
      const { name, queue } = row;
      entry = {
        name,
        queue,
        queued: 0,
        running: 0,
        succeeded: 0,
        failed: 0,
        canceled: 0,
        oldestDueMs: null,
      };
      entry.capped = window ? ['succeeded', 'failed', 'canceled'] : [];
      found.set(key, entry);
    }
    return entry;
  };
  for (const row of rows) {
    const entry = of(row);
    cappedCounts(entry, row.status, row.counted, bound);
    if (row.status === 'queued') entry.oldestDueMs = row.oldest_due_ms;
  }
  for (const row of recent) {
    if (queue === null || row.queue === queue) of(row)[row.status] = row.counted;
  }
  const all = [...found.values()];
  return {
    nowMs: now_ms,
    sinceMs: since,
    names: all,
    capped: queuesCapped || groups.length + 2 * queues.length > MAX_GROUPS,
  };
}

/**
 * @param {TaskStore} store
 * @param {number} sinceMs
 * @param {number} limit
 */
export async function finished(store, sinceMs, limit) {
  const { rows, now_ms } = await ask(store, 'finished', [Math.floor(sinceMs), limit]);
  return {
    nowMs: now_ms,
    capped: rows.length >= limit,
    rows: rows.map(({ created_at_ms, run_at_ms, completed_at_ms, ...row }) => ({
      ...row,
      createdAtMs: created_at_ms,
      runAtMs: run_at_ms,
      completedAtMs: completed_at_ms,
    })),
  };
}

/**
 * @param {TaskStore} store
 * @param {number} windowMs
 */
export async function activity(store, windowMs) {
  // Ids are made by whoever submits, so it is this host's clock that comes nearest to theirs.
  const values = [windowMs, idAt('task_', Date.now() - windowMs), WINDOW_CAP];
  const { rows, now_ms } = await ask(store, 'activity', values);
  /** @type {{ submitted: number, finished: number, capped: string[] }} */
  const counts = { submitted: 0, finished: 0, capped: [] };
  for (const status of /** @type {const} */ (['submitted', 'finished'])) {
    cappedCounts(counts, status, rows[0][status], WINDOW_CAP);
  }
  return { nowMs: now_ms, windowMs, ...counts };
}
