/**
 * TaskContext: what a handler gets. The state is in the Attempt; this is its public face.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('../index.js').SubmitOptions} SubmitOptions
 */
import { Attempt } from './attempt.js';
import { givenEnvelope } from './envelope.js';
import { isLostLease, LostLease } from './errors.js';
import { progressArgs } from './progress.js';
import { StoreLease } from './store-lease.js';
import { cancelRequested, taskName } from './task.js';
import { waitForTask } from './wait.js';

export class TaskContext {
  #attempt;

  /**
   * @param {import('./store.js').TaskStore | Attempt} store the worker passes an Attempt alone
   * @param {Task} [task]
   * @param {string} [workerId]
   * @param {number} [leaseMs]
   * @param {import('../index.js').TaskContextOptions} [options]
   */
  constructor(store, task, workerId, leaseMs, options) {
    this.#attempt =
      store instanceof Attempt
        ? store
        : claimedAttempt(
            new StoreLease(
              store,
              /** @type {string} */ (workerId),
              /** @type {number} */ (leaseMs),
              options,
            ),
            /** @type {Task} */ (task),
          );
  }

  get taskId() {
    return this.#attempt.taskId;
  }

  get name() {
    return this.#attempt.name;
  }

  get queue() {
    return this.#attempt.queue;
  }

  get attempt() {
    return this.#attempt.attempt;
  }

  get payload() {
    return this.#attempt.payload;
  }

  get metadata() {
    return this.#attempt.metadata;
  }

  get rootId() {
    return this.#attempt.rootId;
  }

  get correlationId() {
    return this.#attempt.correlationId;
  }

  get workerId() {
    return this.#attempt.lease.workerId;
  }

  get settled() {
    return this.#attempt.isSettled;
  }

  get lostLease() {
    return this.#attempt.isLost;
  }

  get cancelRequested() {
    return this.#attempt.isCancelRequested;
  }

  get signal() {
    return this.#attempt.signal;
  }

  /**
   * @param {number | null} [progress]
   * @param {string | null} [message]
   * @returns {Promise<Task>}
   */
  async progress(progress = null, message = null) {
    const attempt = this.#attempt;
    const args = progressArgs({ progress, message });
    return await write(attempt, () => attempt.lease.progress(attempt, args.progress, args.message));
  }

  /** @returns {Promise<Task>} */
  async heartbeat() {
    const attempt = this.#attempt;
    return await write(attempt, () => attempt.lease.heartbeat(attempt));
  }

  /** @returns {Promise<boolean>} */
  async canceled() {
    const attempt = this.#attempt;
    if (attempt.isCancelRequested) return true;
    const task = await attempt.lease.store.get(attempt.taskId);
    attempt.cancelSeen = task === null || task.status === 'canceled' || cancelRequested(task);
    return attempt.cancelSeen;
  }

  /**
   * @param {unknown} [result]
   * @returns {Promise<Task | null>} null when the task was already settled
   */
  async succeed(result) {
    const attempt = this.#attempt;
    return await settle(attempt, () => attempt.lease.complete(attempt, result));
  }

  /**
   * @param {unknown} [reason]
   * @param {{ retryable?: boolean }} [options]
   * @returns {Promise<Task | null>}
   */
  async fail(reason = 'task failed', options) {
    const attempt = this.#attempt;
    const given = givenEnvelope(reason, options?.retryable ?? true);
    return await settle(attempt, () => attempt.lease.fail(attempt, given.error, given.retryable));
  }

  /**
   * @param {string | { readonly name: string }} task
   * @param {unknown} [payload]
   * @param {SubmitOptions} [options]
   * @returns {Promise<Task>}
   */
  async submit(task, payload, options) {
    const { lease, taskId, rootId, correlationId } = writable(this.#attempt);
    return await lease.store.submit({
      ...options,
      name: taskName(task),
      payload,
      parentId: options?.parentId ?? taskId,
      rootId: options?.rootId ?? rootId ?? taskId,
      correlationId: options?.correlationId ?? correlationId,
    });
  }

  /**
   * @param {string} id
   * @param {import('../index.js').WaitOptions} [options]
   * @returns {Promise<Task>}
   */
  async wait(id, options) {
    return await waitForTask(this.#attempt.lease.store, id, options);
  }
}

/**
 * @param {Attempt} attempt
 * @returns {Attempt} the same, when it may still write
 * @throws {LostLease}
 */
function writable(attempt) {
  if (attempt.closed || attempt.isLost || attempt.isSettled) throw new LostLease(attempt.taskId);
  return attempt;
}

/**
 * @param {Attempt} attempt
 * @param {() => Promise<Task>} send
 */
async function write(attempt, send) {
  writable(attempt);
  try {
    return noted(attempt, await send());
  } catch (error) {
    // A write that crossed the settlement found the lease gone, but it was not lost.
    if (isLostLease(error) && attempt.settling === null && !attempt.closed) attempt.lose();
    throw error;
  }
}

/**
 * Ends the attempt by a write of the handler's own; the first of several wins.
 *
 * @param {Attempt} attempt
 * @param {() => Promise<Task>} send
 * @returns {Promise<Task | null>}
 */
async function settle(attempt, send) {
  while (attempt.settling !== null) await attempt.settling;
  if (attempt.isLost) throw new LostLease(attempt.taskId);
  if (attempt.closed || attempt.isSettled) return null;
  /** @type {() => void} */
  let ended = () => {};
  attempt.settling = new Promise((resolve) => {
    ended = resolve;
  });
  try {
    const task = await send();
    attempt.settled = true;
    return noted(attempt, task);
  } catch (error) {
    if (isLostLease(error)) attempt.lose();
    throw error;
  } finally {
    attempt.settling = null;
    ended();
  }
}

/**
 * Takes note of a cancel request that an answer happens to carry.
 *
 * @param {Attempt} attempt
 * @param {Task} task
 */
function noted(attempt, task) {
  if (task !== null && typeof task === 'object' && cancelRequested(task)) attempt.cancelSeen = true;
  return task;
}

/**
 * @param {StoreLease} lease
 * @param {Task} task
 */
function claimedAttempt(lease, task) {
  const { id, name, queue, attempt, root_id: rootId, correlation_id: correlationId } = task;
  const claimed = { id, name, queue, attempt, rootId, correlationId };
  const text = (/** @type {unknown} */ value) => JSON.stringify(value) ?? '{}';
  return new Attempt(lease, 0, claimed, text(task.payload), text(task.metadata));
}
