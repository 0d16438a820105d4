/**
 * The stores: every operation of the protocol, each a checked request to the native side. Methods
 * sit on TaskStore.prototype, so that "was this method replaced?" (worker/replaced.js) is one
 * comparison.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('../index.js').SubmitInput} SubmitInput
 * @typedef {import('../index.js').ListInput} ListInput
 * @typedef {import('../index.js').PurgeInput} PurgeInput
 * @typedef {import('../index.js').QueueDepthLimit} QueueDepthLimit
 * @typedef {import('../index.js').BackpressureOptions} BackpressureOptions
 * @typedef {import('./submission.js').Submission} Submission
 * @typedef {{ taskId: string, workerId: string }} Owner
 */
import { fileURLToPath } from 'node:url';
import { admit } from './admission.js';
import { duration, isWhole, shown, wellFormed, wellFormedList, wholeAtLeast } from './arguments.js';
import { bridge } from './bridge.js';
import { claimArgs, claimSession } from './claims.js';
import { encodeEnvelope } from './envelope.js';
import { depthBound, listFilter, purgeFilter } from './filters.js';
import { QueueDepthGate } from './gate.js';
import { encodeResult } from './json.js';
import { IS_USED, NATIVE } from './native-store.js';
import { messageText, progressArgs } from './progress.js';
import { call } from './request.js';
import { statsByQueue } from './stats.js';
import { submission } from './submission.js';
import { sendSubmits, submitAll, submitOne } from './submits.js';

/** Where asyncDispose is missing the key is one that nothing looks up. */
export const asyncDispose = Symbol.asyncDispose ?? Symbol('asyncDispose');

const DEFAULT_LEASE_MS = 30_000;

/** Schema levels that a store works at. */
const LEAST_LEVEL = 6;
const LATEST_LEVEL = 10;

export class TaskStore {
  /** @type {import('../native.cjs').NativeStore | null} */
  #native = null;

  /**
   * @param {'sqlite' | 'postgres'} kind
   * @param {string} target
   * @param {Record<string, unknown>} options
   */
  constructor(kind, target, options) {
    if (new.target === TaskStore || (kind !== 'sqlite' && kind !== 'postgres')) {
      throw new Error('TaskStore is abstract: use new SQLiteStore(path) or new PostgresStore(dsn)');
    }
    /** @type {QueueDepthGate | null} */
    this.gate = null;
    this[NATIVE] = () => {
      if (this.#native === null) {
        const { addon, native } = bridge();
        this.#native = new addon.NativeStore(native, kind, target, JSON.stringify(options));
      }
      return this.#native;
    };
    this[IS_USED] = () => this.#native !== null;
  }

  async connect() {
    await call(this, 'connect', {});
  }

  async close() {
    // A submit that still waits for room would reopen what is being closed.
    await this.gate?.abandon();
    sendSubmits();
    // Nothing was ever asked of it, or its target is one that cannot be opened at all.
    if (!this[IS_USED]()) return;
    await call(this, 'close', {});
  }

  /** @returns {Promise<number>} */
  async protocolVersion() {
    return await call(this, 'protocolVersion', {});
  }

  /**
   * @param {QueueDepthLimit | null} maxQueueDepth
   * @param {Omit<BackpressureOptions, 'maxQueueDepth'>} [options]
   */
  useBackpressure(maxQueueDepth, options) {
    this.gate =
      maxQueueDepth === null || maxQueueDepth === undefined
        ? null
        : new QueueDepthGate(this, { ...options, maxQueueDepth });
  }

  /**
   * @param {SubmitInput} input
   * @returns {Promise<Task>}
   */
  async submit(input) {
    return (await submitTo(this, input, false)).task;
  }

  /**
   * @param {SubmitInput[]} inputs
   * @returns {Promise<Task[]>}
   */
  async submitMany(inputs) {
    if (!Array.isArray(inputs)) {
      throw new Error(`submitMany takes an array of submits, got ${shown(inputs)}`);
    }
    const submissions = inputs.map(submission);
    if (submissions.length === 0) return [];
    if (this.gate !== null) {
      const tasks = submissions.map(({ args }) => args);
      await admit(this, this.gate, tasks);
    }
    return await submitAll(this, submissions);
  }

  /**
   * @param {string} id
   * @returns {Promise<Task | null>}
   */
  async get(id) {
    return await call(this, 'get', { id: wellFormed(id, 'id') });
  }

  /**
   * @param {string} key
   * @returns {Promise<Task | null>}
   */
  async getByKey(key) {
    return await call(this, 'getByKey', { key: wellFormed(key, 'key') });
  }

  /** @param {string} id */
  async getStatus(id) {
    return await call(this, 'getStatus', { id: wellFormed(id, 'id') });
  }

  /** @param {string} key */
  async getStatusByKey(key) {
    return await call(this, 'getStatusByKey', { key: wellFormed(key, 'key') });
  }

  /**
   * @param {ListInput} [input]
   * @returns {Promise<Task[]>}
   */
  async list(input) {
    return await call(this, 'list', listFilter(input));
  }

  /** @param {string} id */
  async cancel(id) {
    return await call(this, 'cancel', { id: wellFormed(id, 'id') });
  }

  /** @param {string} key */
  async cancelByKey(key) {
    return await call(this, 'cancelByKey', { key: wellFormed(key, 'key') });
  }

  /**
   * @param {string} id
   * @param {{ resetAttempt?: boolean }} [options]
   */
  async retry(id, options) {
    const resetAttempt = options?.resetAttempt === true;
    return await call(this, 'retry', { id: wellFormed(id, 'id'), resetAttempt });
  }

  /**
   * @param {string} key
   * @param {{ resetAttempt?: boolean }} [options]
   */
  async retryByKey(key, options) {
    const resetAttempt = options?.resetAttempt === true;
    return await call(this, 'retryByKey', { key: wellFormed(key, 'key'), resetAttempt });
  }

  /**
   * @param {PurgeInput} [input]
   * @returns {Promise<string[]>}
   */
  async purge(input) {
    return await call(this, 'purge', purgeFilter(input));
  }

  /** @param {string | null} [queue] */
  async stats(queue = null) {
    const named = queue === null ? null : wellFormed(queue, 'queue');
    return statsByQueue(await call(this, 'stats', { queue: named }), named);
  }

  /**
   * @param {string} queue
   * @param {number} maxDepth
   * @returns {Promise<number>}
   */
  async queueDepth(queue, maxDepth) {
    const args = { queue: wellFormed(queue, 'queue'), maxDepth: depthBound(maxDepth) };
    return await call(this, 'queueDepth', args);
  }

  /**
   * @param {import('../index.js').ClaimInput} input
   * @returns {Promise<Task[]>}
   */
  async claim(input) {
    const limit = Math.max(0, Math.floor(Math.min(input.limit ?? 1, Number.MAX_SAFE_INTEGER)));
    return await call(this, 'claim', { ...claimArgs(input), limit });
  }

  /**
   * @template T
   * @param {import('../index.js').ClaimSessionInput} input
   * @param {(draw: import('../index.js').ClaimDraw) => Promise<T> | T} plan
   * @returns {Promise<T | undefined>}
   */
  async claimSession(input, plan) {
    return await claimSession((op, args) => call(this, op, args), claimArgs(input), plan);
  }

  /**
   * @param {Owner & { leaseMs?: number }} input
   * @returns {Promise<Task>}
   */
  async heartbeat(input) {
    return await call(this, 'heartbeat', { ...owner(input), leaseMs: lease(input) });
  }

  /**
   * @param {{ taskIds: string[], workerId: string, leaseMs?: number }} input
   * @returns {Promise<Map<string, boolean>>}
   */
  async heartbeatBatch(input) {
    const taskIds = wellFormedList(input.taskIds, 'taskIds');
    const workerId = wellFormed(input.workerId, 'workerId');
    return new Map(
      await call(this, 'heartbeatBatch', { taskIds, workerId, leaseMs: lease(input) }),
    );
  }

  /**
   * @param {Owner & { progress?: number | null, message?: string | null }} input
   * @returns {Promise<Task>}
   */
  async progress(input) {
    return await call(this, 'progress', { ...owner(input), ...progressArgs(input) });
  }

  /**
   * @param {Owner & { result?: unknown, message?: string | null }} input
   * @returns {Promise<Task>}
   */
  async succeed(input) {
    const args = { ...owner(input), message: messageText(input.message) };
    return await call(this, 'succeed', args, [encodeResult(input.result)]);
  }

  /**
   * @param {Owner & { result?: unknown, message?: string | null }} input
   * @returns {Promise<Task>}
   */
  async complete(input) {
    const args = { ...owner(input), message: messageText(input.message) };
    return await call(this, 'complete', args, [encodeResult(input.result)]);
  }

  /**
   * @param {Owner & { error: unknown, retryable?: boolean, delayMs?: number }} input
   * @returns {Promise<Task>}
   */
  async fail(input) {
    const retryable = input.retryable ?? true;
    const delayMs = duration(input.delayMs ?? 0, 'delayMs', { atLeast: 0 });
    const args = { ...owner(input), retryable, delayMs };
    return await call(this, 'fail', args, [encodeEnvelope(input.error)]);
  }

  /**
   * @param {string[]} queues
   * @param {number} ms
   * @returns {Promise<boolean>}
   */
  async claimWake(queues, ms) {
    const args = { queues: wellFormedList(queues, 'queues'), ms: duration(ms, 'ms', {}) };
    return await call(this, 'claimWake', args);
  }

  /**
   * @param {string} id
   * @param {number} ms
   * @returns {Promise<boolean>}
   */
  async taskDoneWake(id, ms) {
    const args = { id: wellFormed(id, 'id'), ms: duration(ms, 'ms', {}) };
    return await call(this, 'taskDoneWake', args);
  }

  async [asyncDispose]() {
    await this.close();
  }
}

/** A store on one SQLite file. */
export class SQLiteStore extends TaskStore {
  /**
   * @param {string | URL} path
   * @param {import('../index.js').SQLiteStoreOptions} [options]
   */
  constructor(path, options) {
    const { busyTimeoutMs, ...rest } = options ?? {};
    super('sqlite', filePath(path), {
      ...rest,
      busyTimeoutMs: duration(busyTimeoutMs ?? 5000, 'busyTimeoutMs', { atLeast: 0 }),
      migrate: migrateOption(rest.migrate),
    });
  }
}

/** A store on one Postgres database. */
export class PostgresStore extends TaskStore {
  /**
   * @param {string} dsn
   * @param {import('../index.js').PostgresStoreOptions} [options]
   */
  constructor(dsn, options) {
    const { max, ...rest } = options ?? {};
    super('postgres', wellFormed(dsn, 'dsn'), {
      ...rest,
      max: wholeAtLeast(max ?? 10, 'max', 1),
      migrate: migrateOption(rest.migrate),
    });
  }
}

/**
 * @template {TaskStore} S
 * @param {S} store
 * @returns {S}
 */
export function acceptStore(store) {
  if (store instanceof TaskStore) return store;
  throw new Error(
    `store must be a SQLiteStore or a PostgresStore of @cairnq/native, got ${shown(store)}`,
  );
}

/**
 * A submit whose caller waits for the task's end next: it need not read first whether it has ended.
 *
 * @param {TaskStore} store
 * @param {SubmitInput} input
 */
export async function submitAwaited(store, input) {
  return await submitTo(store, input, true);
}

/**
 * @param {TaskStore} store
 * @param {SubmitInput} input
 * @param {boolean} awaited
 */
function submitTo(store, input, awaited) {
  const checked = submission(input);
  if (store.gate === null) return submitOne(store, checked, awaited);
  const admitted = admit(store, store.gate, [checked.args]);
  return admitted.then(() => submitOne(store, checked, awaited));
}

/** @param {Owner} input */
function owner({ taskId, workerId }) {
  return { taskId: wellFormed(taskId, 'taskId'), workerId: wellFormed(workerId, 'workerId') };
}

/** @param {{ leaseMs?: number }} input */
function lease({ leaseMs }) {
  return duration(leaseMs ?? DEFAULT_LEASE_MS, 'leaseMs', { above: 0 });
}

/** @param {unknown} path */
function filePath(path) {
  const text = wellFormed(path instanceof URL ? fileURLToPath(path) : path, 'path');
  if (text === '' || text.includes('\0')) throw new Error('path must not be empty or hold a NUL');
  return text;
}

/** @param {unknown} migrate */
function migrateOption(migrate) {
  if (migrate === undefined || migrate === null) return undefined;
  if (migrate === 'latest' || migrate === 'never') return migrate;
  if (isWhole(migrate) && migrate >= LEAST_LEVEL && migrate <= LATEST_LEVEL) return migrate;
  throw new Error(
    `migrate must be "latest", "never", a level from ${LEAST_LEVEL} to ${LATEST_LEVEL}, or absent, got ${shown(migrate)}`,
  );
}
