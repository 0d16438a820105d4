/**
 * CairnQ: submits tasks, looks after them and waits for their results.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('../index.js').ClientOptions} ClientOptions
 * @typedef {import('../index.js').SubmitOptions} SubmitOptions
 * @typedef {import('../index.js').CallOptions} CallOptions
 * @typedef {string | { readonly name: string }} TaskRef
 */
import { TaskCanceled, TaskFailed } from './errors.js';
import { RetentionSweeper } from './retention.js';
import { acceptStore, asyncDispose, PostgresStore, SQLiteStore } from './store.js';
import { splitStoreOptions } from './store-options.js';
import { taskName } from './task.js';
import { submitAndWait, waitForKey, waitForTask } from './wait.js';

export class CairnQ {
  #retention;

  /**
   * @param {import('./store.js').TaskStore} store
   * @param {ClientOptions} [options]
   */
  constructor(store, options) {
    const { maxQueueDepth, retention, ...waits } = options ?? {};
    this.store = acceptStore(store);
    this.#retention = retention ? new RetentionSweeper(store, retention) : null;
    if (maxQueueDepth !== undefined && maxQueueDepth !== null) {
      store.useBackpressure(maxQueueDepth, waits);
    }
    this.#retention?.start();
  }

  /**
   * @param {string | URL} path
   * @param {ClientOptions & import('../index.js').SQLiteStoreOptions} [options]
   */
  static sqlite(path, options) {
    const { store, rest } = splitStoreOptions(options);
    return new CairnQ(new SQLiteStore(path, store), rest);
  }

  /**
   * @param {string} dsn
   * @param {ClientOptions & import('../index.js').PostgresStoreOptions} [options]
   */
  static postgres(dsn, options) {
    const { store, rest } = splitStoreOptions(options);
    return new CairnQ(new PostgresStore(dsn, store), rest);
  }

  async connect() {
    await this.store.connect();
    this.#retention?.start();
  }

  async close() {
    await this.#retention?.stop();
    await this.store.close();
  }

  async [asyncDispose]() {
    await this.close();
  }

  /**
   * @param {TaskRef} task
   * @param {unknown} [payload]
   * @param {SubmitOptions} [options]
   * @returns {Promise<Task>}
   */
  async submit(task, payload, options) {
    return await this.store.submit({ ...options, name: taskName(task), payload });
  }

  /**
   * @param {import('../index.js').SubmitInput[]} inputs
   * @returns {Promise<Task[]>}
   */
  async submitMany(inputs) {
    return await this.store.submitMany(inputs);
  }

  /**
   * @param {TaskRef} task
   * @param {unknown} [payload]
   * @param {CallOptions} [options]
   * @returns {Promise<any>} the task's result
   */
  async call(task, payload, options) {
    const { waitTimeoutMs, pollMs, maxPollMs, ...submit } = options ?? {};
    const wait = { timeoutMs: waitTimeoutMs, pollMs, maxPollMs };
    const { id, done } = await this.#submitAndWait(task, payload, submit, wait);
    if (done.status === 'failed') throw new TaskFailed(done.error);
    if (done.status === 'canceled') throw new TaskCanceled(id);
    return done.result;
  }

  /**
   * @param {TaskRef} task
   * @param {unknown} payload
   * @param {SubmitOptions} submit
   * @param {import('../index.js').WaitOptions} wait
   */
  async #submitAndWait(task, payload, submit, wait) {
    const { prototype } = CairnQ;
    if (this.submit === prototype.submit && this.wait === prototype.wait) {
      return await submitAndWait(this.store, { ...submit, name: taskName(task), payload }, wait);
    }
    // What a subclass made of either counts for call() too.
    const { id } = await this.submit(task, payload, submit);
    return { id, done: await this.wait(id, wait) };
  }

  /**
   * @param {string} id
   * @param {import('../index.js').WaitOptions} [options]
   */
  async wait(id, options) {
    return await waitForTask(this.store, id, options);
  }

  /**
   * @param {string} key
   * @param {import('../index.js').WaitOptions} [options]
   */
  async waitByKey(key, options) {
    return await waitForKey(this.store, key, options);
  }

  /** @param {string} id */
  async get(id) {
    return await this.store.get(id);
  }

  /** @param {string} key */
  async getByKey(key) {
    return await this.store.getByKey(key);
  }

  /** @param {string} id */
  async getStatus(id) {
    return await this.store.getStatus(id);
  }

  /** @param {string} key */
  async getStatusByKey(key) {
    return await this.store.getStatusByKey(key);
  }

  /** @param {import('../index.js').ListInput} [input] */
  async list(input) {
    return await this.store.list(input);
  }

  /** @param {string} id */
  async cancel(id) {
    return await this.store.cancel(id);
  }

  /** @param {string} key */
  async cancelByKey(key) {
    return await this.store.cancelByKey(key);
  }

  /**
   * @param {string} id
   * @param {{ resetAttempt?: boolean }} [options]
   */
  async retry(id, options) {
    return await this.store.retry(id, options);
  }

  /**
   * @param {string} key
   * @param {{ resetAttempt?: boolean }} [options]
   */
  async retryByKey(key, options) {
    return await this.store.retryByKey(key, options);
  }

  /** @param {import('../index.js').PurgeInput} [input] */
  async purge(input) {
    return await this.store.purge(input);
  }

  /** @param {string | null} [queue] */
  async stats(queue) {
    return await this.store.stats(queue);
  }

  /**
   * @param {string} queue
   * @param {number} maxDepth
   */
  async queueDepth(queue, maxDepth) {
    return await this.store.queueDepth(queue, maxDepth);
  }
}
