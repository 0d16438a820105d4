/**
 * One attempt at a task as this process knows it: the state behind a TaskContext, shared with the
 * dispatcher that settles what the handler leaves.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {{
 *   store: import('./store.js').TaskStore,
 *   workerId: string,
 *   flags(attempt: Attempt): number,
 *   progress(attempt: Attempt, progress: number | null, message: string | null): Promise<Task>,
 *   heartbeat(attempt: Attempt): Promise<Task>,
 *   complete(attempt: Attempt, result: unknown): Promise<Task>,
 *   fail(attempt: Attempt, error: unknown, retryable: boolean): Promise<Task>,
 * }} Lease how an attempt's writes reach the database, and what is known of its lease
 */
import { LostLease } from './errors.js';

/** Bits of Lease.flags. */
export const CANCEL_REQUESTED = 1;
export const LOST = 2;
export const SETTLED = 4;
/** The native side has forgotten the attempt: it ended, and unless it was seen lost, as settled. */
export const OVER = 8;

export class Attempt {
  /** The text of an undecoded payload, or undefined once `#payload` holds it. */
  #payloadText;
  /** @type {any} */
  #payload;
  #metadataText;
  /** @type {any} */
  #metadata;
  /** @type {AbortController | null} */
  #controller = null;

  /** A write of ours that ended the attempt has committed. */
  settled = false;
  lost = false;
  cancelSeen = false;
  /** The handler is over and its outcome decided: the context may write no more. */
  closed = false;
  /** The settlement that the handler began itself and that is under way; never rejects.
   * @type {Promise<void> | null} */
  settling = null;

  /** What subscribers were told of its start, until they are told of its end.
   * @type {import('../index.js').TaskEndMessage | null} */
  observed = null;

  /**
   * @param {Lease} lease
   * @param {number} handle the native side's number for it
   * @param {{ id: string, name: string, queue: string, attempt: number,
   *   rootId: string | null, correlationId: string | null }} task
   * @param {string} payloadText
   * @param {string | null} metadataText null for the empty object
   */
  constructor(lease, handle, task, payloadText, metadataText) {
    this.lease = lease;
    this.handle = handle;
    this.taskId = task.id;
    this.name = task.name;
    this.queue = task.queue;
    this.attempt = task.attempt;
    this.rootId = task.rootId;
    this.correlationId = task.correlationId;
    this.#payloadText = /** @type {string | undefined} */ (payloadText);
    this.#metadataText = metadataText;
  }

  get payload() {
    if (this.#payloadText !== undefined) {
      this.#payload = JSON.parse(this.#payloadText);
      this.#payloadText = undefined;
    }
    return this.#payload;
  }

  get metadata() {
    this.#metadata ??= this.#metadataText === null ? {} : JSON.parse(this.#metadataText);
    return this.#metadata;
  }

  get isSettled() {
    if (this.settled) return true;
    if (this.lost) return false;
    const flags = this.lease.flags(this);
    return (flags & SETTLED) !== 0 || ((flags & OVER) !== 0 && (flags & LOST) === 0);
  }

  get isLost() {
    return this.lost || (!this.settled && (this.lease.flags(this) & LOST) !== 0);
  }

  get isCancelRequested() {
    return this.cancelSeen || (this.lease.flags(this) & CANCEL_REQUESTED) !== 0;
  }

  /** Made only for handlers that ask: an AbortController costs more than a whole no-op task. */
  get signal() {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.isLost) this.#controller.abort(new LostLease(this.taskId));
    }
    return this.#controller.signal;
  }

  lose() {
    if (this.lost || this.settled) return;
    this.lost = true;
    this.#controller?.abort(new LostLease(this.taskId));
  }
}
