/**
 * The lease of an attempt that a worker runs: the native side keeps it alive, knows its state even
 * while JavaScript is blocked, and carries its writes.
 *
 * @typedef {import('../../index.js').Task} Task
 * @typedef {import('../attempt.js').Attempt} Attempt
 */
import { LOST, OVER } from '../attempt.js';
import { retryDelayMs } from '../backoff.js';
import { bridge } from '../bridge.js';
import { encodeEnvelope } from '../envelope.js';
import { isLostLease } from '../errors.js';
import { encodeResult } from '../json.js';
import { isReplaced } from '../replaced.js';

/** Attempts remembered as lost after their handler was over, for contexts that outlive it. */
const REMEMBERED = 1000;

export class WorkerLease {
  #native;
  #backoffMs;
  #backoffMaxMs;
  #leaseMs;
  #ended;
  /** @type {Set<number>} */
  #lostLate = new Set();

  /**
   * @param {import('../../native.cjs').NativeWorker} native
   * @param {import('../store.js').TaskStore} store
   * @param {import('./options.js').NormalOptions} options
   * @param {(attempt: Attempt, lost: boolean) => void} ended tells the native side of an attempt
   *   that ended through a replaced store method
   */
  constructor(native, store, options, ended) {
    this.#native = native;
    this.store = store;
    this.workerId = options.workerId;
    this.#leaseMs = options.leaseMs;
    this.#backoffMs = options.retryBackoffMs;
    this.#backoffMaxMs = options.retryBackoffMaxMs;
    this.#ended = ended;
  }

  /** @param {Attempt} attempt */
  flags({ handle }) {
    const flags = this.#native.state(handle);
    return (flags & OVER) !== 0 && this.#lostLate.has(handle) ? flags | LOST : flags;
  }

  /** @param {Attempt} attempt */
  holds({ handle }) {
    return this.#native.holds(handle);
  }

  /** @param {number} handle */
  rememberLost(handle) {
    this.#lostLate.add(handle);
    if (this.#lostLate.size <= REMEMBERED) return;
    const [oldest] = this.#lostLate;
    this.#lostLate.delete(oldest);
  }

  /**
   * @param {Attempt} attempt
   * @param {number | null} progress
   * @param {string | null} message
   * @returns {Promise<Task>}
   */
  async progress({ handle, taskId }, progress, message) {
    const { store, workerId } = this;
    if (isReplaced(store, 'progress')) {
      return await store.progress({ taskId, workerId, progress, message });
    }
    return await this.#request(handle, 'progress', { progress, message });
  }

  /**
   * @param {Attempt} attempt
   * @returns {Promise<Task>}
   */
  async heartbeat({ handle, taskId }) {
    const { store, workerId } = this;
    if (isReplaced(store, 'heartbeat')) {
      return await store.heartbeat({ taskId, workerId, leaseMs: this.#leaseMs });
    }
    return await this.#request(handle, 'heartbeat', {});
  }

  /**
   * @param {Attempt} attempt
   * @param {unknown} result
   * @returns {Promise<Task>}
   */
  async complete(attempt, result) {
    if (isReplaced(this.store, 'complete')) {
      return await this.#settleThroughStore(attempt, () => this.storeComplete(attempt, result));
    }
    return await this.#request(attempt.handle, 'complete', {}, [encodeResult(result)]);
  }

  /**
   * @param {Attempt} attempt
   * @param {unknown} error
   * @param {boolean} retryable
   * @returns {Promise<Task>}
   */
  async fail(attempt, error, retryable) {
    if (isReplaced(this.store, 'fail')) {
      return await this.#settleThroughStore(attempt, () =>
        this.storeFail(attempt, error, retryable),
      );
    }
    return await this.#request(attempt.handle, 'fail', { retryable }, [encodeEnvelope(error)]);
  }

  /**
   * @param {Attempt} attempt
   * @param {unknown} result
   */
  async storeComplete({ taskId }, result) {
    return await this.store.complete({ taskId, workerId: this.workerId, result });
  }

  /**
   * @param {Attempt} attempt
   * @param {unknown} error
   * @param {boolean} retryable
   */
  async storeFail({ taskId, attempt }, error, retryable) {
    const delayMs = retryable ? retryDelayMs(attempt, this.#backoffMs, this.#backoffMaxMs) : 0;
    return await this.store.fail({ taskId, workerId: this.workerId, error, retryable, delayMs });
  }

  /**
   * @param {Attempt} attempt
   * @param {() => Promise<Task>} send
   */
  async #settleThroughStore(attempt, send) {
    try {
      const task = await send();
      this.#ended(attempt, false);
      return task;
    } catch (error) {
      if (isLostLease(error)) this.#ended(attempt, true);
      throw error;
    }
  }

  /**
   * @param {number} handle
   * @param {string} op
   * @param {object} args
   * @param {string[]} [texts]
   */
  async #request(handle, op, args, texts = []) {
    const native = this.#native;
    const answer = await bridge().request((id) =>
      native.request(id, handle, op, JSON.stringify(args), texts),
    );
    return JSON.parse(answer);
  }
}
