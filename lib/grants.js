/**
 * Submits that probes of the depth have let through and that have not come yet. What was counted
 * some seconds ago says little about the queue now, so a grant lapses; and a program that names
 * ever new queues keeps no more than a bounded number of them.
 */

/** How long a grant is good for. */
const GOOD_FOR_MS = 5000;

/** Queues whose grants are kept; the oldest grant goes first, which costs its queue one probe. */
const QUEUES_REMEMBERED = 1024;

export class Grants {
  /** The oldest first. @type {Map<string, { left: number, until: number }>} */
  #byQueue = new Map();

  /** How many queues are remembered. */
  get size() {
    return this.#byQueue.size;
  }

  /**
   * @param {string} queue
   * @param {number} count in place of what is left of an earlier grant
   */
  give(queue, count) {
    this.#byQueue.delete(queue);
    if (count === 0) return;
    this.#byQueue.set(queue, { left: count, until: performance.now() + GOOD_FOR_MS });
    if (this.#byQueue.size <= QUEUES_REMEMBERED) return;
    const [oldest] = this.#byQueue.keys();
    this.#byQueue.delete(oldest);
  }

  /**
   * @param {string} queue
   * @param {number} count
   * @returns {boolean} whether that many were left
   */
  take(queue, count) {
    const grant = this.#byQueue.get(queue);
    if (grant === undefined) return false;
    const lapsed = performance.now() >= grant.until;
    const granted = !lapsed && grant.left >= count;
    if (granted) grant.left -= count;
    if (lapsed || grant.left === 0) this.#byQueue.delete(queue);
    return granted;
  }
}
