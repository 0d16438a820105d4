/**
 * The lease of a context made by hand over a claimed row: its writes are the store's own methods.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('./attempt.js').Attempt} Attempt
 */
import { duration, wellFormed } from './arguments.js';
import { DEFAULT_RETRY_BACKOFF_MAX_MS, DEFAULT_RETRY_BACKOFF_MS, retryDelayMs } from './backoff.js';

export class StoreLease {
  #leaseMs;
  #backoffMs;
  #backoffMaxMs;

  /**
   * @param {import('./store.js').TaskStore} store
   * @param {string} workerId
   * @param {number} leaseMs
   * @param {import('../index.js').TaskContextOptions} [options]
   */
  constructor(store, workerId, leaseMs, options) {
    this.store = store;
    this.workerId = wellFormed(workerId, 'workerId');
    this.#leaseMs = duration(leaseMs, 'leaseMs', { above: 0 });
    this.#backoffMs = options?.retryBackoffMs ?? DEFAULT_RETRY_BACKOFF_MS;
    this.#backoffMaxMs = options?.retryBackoffMaxMs ?? DEFAULT_RETRY_BACKOFF_MAX_MS;
  }

  /** Nothing watches such a lease: what is known of it comes with the answers. */
  flags() {
    return 0;
  }

  /**
   * @param {Attempt} attempt
   * @param {number | null} progress
   * @param {string | null} message
   */
  async progress({ taskId }, progress, message) {
    return await this.store.progress({ taskId, workerId: this.workerId, progress, message });
  }

  /** @param {Attempt} attempt */
  async heartbeat({ taskId }) {
    const leaseMs = this.#leaseMs;
    return await this.store.heartbeat({ taskId, workerId: this.workerId, leaseMs });
  }

  /**
   * @param {Attempt} attempt
   * @param {unknown} result
   */
  async complete({ taskId }, result) {
    return await this.store.complete({ taskId, workerId: this.workerId, result });
  }

  /**
   * @param {Attempt} attempt
   * @param {unknown} error
   * @param {boolean} retryable
   */
  async fail({ taskId, attempt }, error, retryable) {
    const delayMs = retryable ? retryDelayMs(attempt, this.#backoffMs, this.#backoffMaxMs) : 0;
    return await this.store.fail({ taskId, workerId: this.workerId, error, retryable, delayMs });
  }
}
