/**
 * Worker: registers handlers and runs them for as long as it is told to. Claiming, leases, time
 * limits and settlement are the native worker's; see worker/dispatcher.js for what runs a handler.
 *
 * @typedef {import('../index.js').WorkerOptions} WorkerOptions
 * @typedef {import('../index.js').RunOptions} RunOptions
 * @typedef {import('./worker/registration.js').Registration} Registration
 */
import { duration } from './arguments.js';
import { newId } from './ids.js';
import { quietly } from './report.js';
import { acceptStore, asyncDispose, PostgresStore, SQLiteStore } from './store.js';
import { splitStoreOptions } from './store-options.js';
import { Engine } from './worker/engine.js';
import { normalOptions, wholeConcurrency } from './worker/options.js';
import { registration } from './worker/registration.js';
import { onFirstSignal } from './worker/signals.js';

export class Worker {
  #options;
  #report;
  #ownsStore = false;
  #stopped = false;
  /** @type {Map<string, Registration>} */
  #handlers = new Map();
  /** The native worker and what runs its calls, made by the first run() or stats(). @type {Engine | null} */
  #engine = null;
  /** @type {Set<Promise<void>>} */
  #runs = new Set();

  /**
   * @param {import('./store.js').TaskStore} store
   * @param {readonly string[]} [queues]
   * @param {WorkerOptions} [options]
   */
  constructor(store, queues = ['default'], options = {}) {
    this.store = acceptStore(store);
    this.id = newId('worker_');
    this.#options = normalOptions(this.id, queues, options ?? {});
    this.#report = quietly(options?.onError);
    const { maxQueueDepth, maxQueueWaitMs, queuePollIntervalMs } = options ?? {};
    if (maxQueueDepth !== undefined && maxQueueDepth !== null) {
      store.useBackpressure(maxQueueDepth, { maxQueueWaitMs, queuePollIntervalMs });
    }
  }

  /**
   * @param {string | URL} path
   * @param {import('../index.js').SQLiteWorkerOptions} [options]
   */
  static sqlite(path, options) {
    const { store, rest } = splitStoreOptions(options);
    return Worker.#owning(new SQLiteStore(path, store), rest);
  }

  /**
   * @param {string} dsn
   * @param {import('../index.js').PostgresWorkerOptions} [options]
   */
  static postgres(dsn, options) {
    const { store, rest } = splitStoreOptions(options);
    return Worker.#owning(new PostgresStore(dsn, store), rest);
  }

  /**
   * @param {import('./store.js').TaskStore} store
   * @param {WorkerOptions & { queues?: readonly string[] | null }} options
   */
  static #owning(store, { queues, ...options }) {
    const worker = new Worker(store, queues ?? undefined, options);
    worker.#ownsStore = true;
    return worker;
  }

  get workerId() {
    return this.id;
  }

  /** @param {unknown[]} args see index.d.ts for the forms */
  task(...args) {
    const registered = registration(args, this.#options.resources);
    this.#handlers.set(registered.name, registered);
    this.#engine?.register(registered);
    return this;
  }

  /**
   * @param {RunOptions} [options]
   * @returns {Promise<void>}
   */
  async run(options) {
    const concurrency = wholeConcurrency(options?.concurrency ?? this.#options.concurrency);
    if (this.#stopped) return;
    const run = this.#run(concurrency);
    this.#runs.add(run);
    try {
      await run;
    } finally {
      this.#runs.delete(run);
    }
  }

  /** @param {number} concurrency */
  async #run(concurrency) {
    await this.store.connect();
    if (this.#stopped) return;
    await this.#started().run(concurrency);
  }

  #started() {
    this.#engine ??= new Engine(this.store, this.#options, this.#handlers, this.#report);
    return this.#engine;
  }

  /** @returns {import('../index.js').WorkerStats} */
  stats() {
    return { workerId: this.id, ...this.#started().stats() };
  }

  /** @param {{ graceMs?: number | null }} [options] */
  stop(options) {
    const graceMs = options?.graceMs ?? null;
    const bounded = graceMs === null ? null : duration(graceMs, 'graceMs', { atLeast: 0 });
    this.#stopped = true;
    this.#engine?.stop(bounded);
  }

  /**
   * @param {RunOptions} [options]
   * @returns {Promise<void>}
   */
  async serve(options) {
    const forget = onFirstSignal(() => this.stop());
    try {
      await this.run(options);
    } finally {
      forget();
      if (this.#ownsStore) await this.store.close();
    }
  }

  /**
   * @template T
   * @param {(worker: this) => T | Promise<T>} fn
   * @param {RunOptions} [options]
   * @returns {Promise<T>}
   */
  async background(fn, options) {
    try {
      await this.store.connect();
      return await this.#beside(this.run(options), fn);
    } finally {
      if (this.#ownsStore) await this.store.close();
    }
  }

  /**
   * @template T
   * @param {Promise<void>} running
   * @param {(worker: this) => T | Promise<T>} fn
   * @returns {Promise<T>}
   */
  async #beside(running, fn) {
    // A run that fails ends this even while fn waits for work that will now not be done.
    const failed = running.then(() => /** @type {Promise<never>} */ (new Promise(() => {})));
    failed.catch(() => {});
    try {
      const value = await Promise.race([fn(this), failed]);
      this.stop();
      await running;
      return value;
    } catch (error) {
      this.stop();
      await running.catch(() => {});
      throw error;
    }
  }

  /** @returns {Promise<void>} */
  async close() {
    await this.store.close();
  }

  async [asyncDispose]() {
    this.stop();
    await Promise.allSettled(this.#runs);
    await this.close();
  }
}
