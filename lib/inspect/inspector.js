/**
 * Looking at a database without touching it: what the command line, the dashboard and the metrics read.
 *
 * @typedef {import('../store.js').TaskStore} TaskStore
 * @typedef {import('./ask.js').Filter} Filter
 */
import { duration, shown, wellFormed, wellFormedOrNull, wholeAtLeast } from '../arguments.js';
import { statusFilter } from '../filters.js';
import { acceptStore, asyncDispose, PostgresStore } from '../store.js';
import { facts } from './facts.js';
import { taskAndFamily } from './family.js';
import { activity, finished, names, overview } from './overview.js';
import { page } from './pages.js';
import { storeOf } from './target.js';
import { workers } from './workers.js';

const MAX_FINISHED = 10_000;
const MAX_PAGE = 500;

export class Inspector {
  #ours = false;

  /** @param {TaskStore} store */
  constructor(store) {
    this.store = acceptStore(store);
    /** @type {'sqlite' | 'postgres'} */
    this.backend = store instanceof PostgresStore ? 'postgres' : 'sqlite';
  }

  /**
   * @param {string} target
   * @param {{ schema?: string, busyTimeoutMs?: number, max?: number }} [options]
   */
  static async open(target, { schema, busyTimeoutMs, max } = {}) {
    const inspector = new Inspector(
      storeOf(target, { schema, busyTimeoutMs, max, migrate: 'never' }),
    );
    inspector.#ours = true;
    await inspector.store.connect();
    return inspector;
  }

  async close() {
    if (this.#ours) await this.store.close();
  }

  async overview() {
    return await overview(this.store, this.backend);
  }

  /** @param {{ queue?: string | null, sinceMs?: number | null }} [options] */
  async names(options) {
    const queue = wellFormedOrNull(options?.queue, 'queue');
    const sinceMs = options?.sinceMs ?? null;
    return await names(this.store, this.backend, {
      queue,
      sinceMs: sinceMs === null ? null : time(sinceMs),
    });
  }

  /** @param {{ sinceMs?: number, limit?: number, queue?: string | null, name?: string | null }} [options] */
  async finished(options) {
    const limit = atMost(options?.limit ?? 5_000, 'limit', MAX_FINISHED);
    const queue = wellFormedOrNull(options?.queue, 'queue');
    const name = wellFormedOrNull(options?.name, 'name');
    const found = await finished(this.store, time(options?.sinceMs ?? 0), limit);
    const rows = found.rows.filter(
      (row) => (queue === null || row.queue === queue) && (name === null || row.name === name),
    );
    return { ...found, rows };
  }

  /** @param {{ windowMs?: number }} [options] */
  async activity(options) {
    const windowMs = duration(options?.windowMs ?? 60_000, 'windowMs', { above: 0 });
    return await activity(this.store, windowMs);
  }

  /** @param {import('../../inspect.js').PageInput} [input] */
  async page(input) {
    const { key, before, limit, full, lookForMs, ...given } = input ?? {};
    const options = {
      before: wellFormedOrNull(before, 'before'),
      limit: atMost(limit ?? 50, 'limit', MAX_PAGE),
      full: full === true,
      lookForMs: duration(lookForMs ?? 0, 'lookForMs', { atLeast: 0 }),
    };
    const filter = pageFilter(given);
    if (key !== undefined && key !== null) return await this.#keyed(key, filter, options);
    if (filter.parentId !== null && filter.rootId === null) {
      // There is no index by parent; but a child usually has its parent's root.
      const parent = await this.store.get(filter.parentId);
      if (parent !== null) filter.rootId = parent.root_id ?? parent.id;
    }
    return await page(this.store, filter, options);
  }

  /**
   * @param {string} key
   * @param {ReturnType<typeof pageFilter>} filter
   * @param {{ before: string | null, full: boolean }} options
   */
  async #keyed(key, filter, { before, full }) {
    const task = await this.store.getByKey(key);
    const fits =
      task !== null &&
      (before === null || task.id < before) &&
      Object.entries(COLUMNS).every(
        ([name, column]) =>
          filter[/** @type {keyof typeof COLUMNS} */ (name)] === null ||
          filter[/** @type {keyof typeof COLUMNS} */ (name)] ===
            task[/** @type {'name'} */ (column)],
      );
    if (!fits) return { nowMs: Date.now(), tasks: [], next: null };
    if (full) return { nowMs: Date.now(), tasks: [task], next: null };
    const { payload: _payload, result: _result, metadata: _metadata, ...light } = task;
    return { nowMs: Date.now(), tasks: [light], next: null };
  }

  /** @param {string | { key: string }} reference */
  async task(reference) {
    if (typeof reference === 'string') wellFormed(reference, 'id');
    else wellFormed(reference?.key, 'key');
    return await taskAndFamily(this.store, reference);
  }

  async workers() {
    return await workers(this.store);
  }

  /** @param {{ longTransactionMs?: number }} [options] */
  async facts(options) {
    return await facts(this.store, this.backend, options);
  }

  async [asyncDispose]() {
    await this.close();
  }
}

const COLUMNS = {
  status: 'status',
  queue: 'queue',
  name: 'name',
  rootId: 'root_id',
  correlationId: 'correlation_id',
  parentId: 'parent_id',
};

/** @param {Filter} given */
function pageFilter({ status, queue, name, rootId, correlationId, parentId }) {
  return {
    status: statusFilter(status),
    queue: wellFormedOrNull(queue, 'queue'),
    name: wellFormedOrNull(name, 'name'),
    rootId: wellFormedOrNull(rootId, 'rootId'),
    correlationId: wellFormedOrNull(correlationId, 'correlationId'),
    parentId: wellFormedOrNull(parentId, 'parentId'),
  };
}

/**
 * @param {unknown} value
 * @param {string} what
 * @param {number} most
 */
function atMost(value, what, most) {
  const whole = wholeAtLeast(value, what, 1);
  if (whole > most) throw new Error(`${what} must be at most ${most}, got ${shown(value)}`);
  return whole;
}

/** @param {unknown} value */
function time(value) {
  if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  throw new Error(`sinceMs must be a time in ms since 1970, got ${shown(value)}`);
}
