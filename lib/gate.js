/**
 * Backpressure: holds submits back while their queue is too deep.
 *
 * One probe of the depth is shared by all submits that wait for the queue and lets a batch of them
 * through, so a stream of submits costs one count per batch and overshoots by at most one batch per
 * process.
 *
 * @typedef {import('../index.js').QueueDepthLimit} QueueDepthLimit
 * @typedef {{ queueDepth(queue: string, maxDepth: number): Promise<number> }} DepthSource
 * @typedef {{ count: number, since: number, resolve: () => void, reject: (e: unknown) => void }} Waiter
 * @typedef {{ granted: number, waiters: Waiter[], pump: Promise<void> }} Line
 */
import { setImmediate } from 'node:timers';
import { duration, wholeAtLeast } from './arguments.js';
import { QueueFull } from './errors.js';
import { Grants } from './grants.js';
import { sleep } from './timers.js';

/** Submits that one probe lets through at most. */
const GRANT = 64;

const LONGEST_INTERVAL_MS = 5000;

export class QueueDepthGate {
  #store;
  #limits;
  #maxWaitMs;
  #intervalMs;
  /** Of the queues that somebody waits for. @type {Map<string, Line>} */
  #lines = new Map();
  #grants = new Grants();
  #closing = new AbortController();

  /**
   * @param {DepthSource} store
   * @param {import('../index.js').BackpressureOptions & { maxQueueDepth: QueueDepthLimit }} options
   */
  constructor(store, { maxQueueDepth, maxQueueWaitMs, queuePollIntervalMs }) {
    this.#store = store;
    this.#limits = depthLimits(maxQueueDepth);
    this.#maxWaitMs = duration(maxQueueWaitMs ?? 600_000, 'maxQueueWaitMs', { atLeast: 0 });
    const interval = duration(queuePollIntervalMs ?? 250, 'queuePollIntervalMs', { atLeast: 0 });
    this.#intervalMs = Math.max(1, interval);
  }

  /**
   * @param {string} queue
   * @returns {number | null} null: unbounded
   */
  limitFor(queue) {
    const limits = this.#limits;
    return typeof limits === 'number' ? limits : (limits.get(queue) ?? null);
  }

  /**
   * Resolves once `count` submits may be enqueued.
   *
   * @param {string} queue
   * @param {number} [count]
   * @returns {Promise<void>}
   */
  async acquire(queue, count = 1) {
    const limit = this.limitFor(queue);
    if (limit === null) return;
    // No wait can make room for more than the queue may ever hold.
    if (count > limit) throw new QueueFull(queue, limit, 0);
    if (!this.#lines.has(queue) && this.#grants.take(queue, count)) return;
    await new Promise((resolve, reject) => {
      const since = performance.now();
      this.#line(queue, limit).waiters.push({ count, since, resolve: () => resolve(null), reject });
    });
  }

  /** Ends every wait with QueueFull, as a closing store must; later submits are held anew. */
  async abandon() {
    this.#closing.abort();
    this.#closing = new AbortController();
    const pumps = [...this.#lines.values()].map(({ pump }) => pump);
    if (pumps.length === 0) return;
    await Promise.all(pumps);
    // Those let through at the last moment get to write before the caller goes on to close.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /**
   * The line of those who wait; one that begins is served until nobody does.
   *
   * @param {string} queue
   * @param {number} limit
   */
  #line(queue, limit) {
    let line = this.#lines.get(queue);
    if (line === undefined) {
      // A turn later, so that submits of one tick share the first probe.
      const pump = Promise.resolve().then(() => this.#pump(queue, limit));
      line = { granted: 0, waiters: [], pump };
      this.#lines.set(queue, line);
    }
    return line;
  }

  /**
   * Probes for as long as anyone waits; never rejects.
   *
   * @param {string} queue
   * @param {number} limit
   */
  async #pump(queue, limit) {
    const line = this.#line(queue, limit);
    const { signal } = this.#closing;
    let intervalMs = this.#intervalMs;
    try {
      while (line.waiters.length > 0) {
        const headroom = await this.#store.queueDepth(queue, limit);
        line.granted = Math.min(headroom, Math.max(GRANT, line.waiters[0].count));
        if (admitWaiters(line)) {
          intervalMs = this.#intervalMs;
          continue;
        }
        const restMs = this.#expire(queue, limit, line, signal.aborted);
        if (line.waiters.length === 0) break;
        await sleep(Math.min(intervalMs, restMs), { signal });
        intervalMs = Math.min(intervalMs * 2, Math.max(LONGEST_INTERVAL_MS, this.#intervalMs));
      }
    } catch (error) {
      line.granted = 0;
      for (const waiter of line.waiters.splice(0)) waiter.reject(error);
    }
    this.#lines.delete(queue);
    this.#grants.give(queue, line.granted);
  }

  /**
   * Refuses those who have waited long enough.
   *
   * @param {string} queue
   * @param {number} limit
   * @param {Line} line
   * @param {boolean} all
   * @returns {number} ms until the next one has
   */
  #expire(queue, limit, line, all) {
    let restMs = Infinity;
    const now = performance.now();
    line.waiters = line.waiters.filter((waiter) => {
      const waitedMs = now - waiter.since;
      if (!all && waitedMs < this.#maxWaitMs) {
        restMs = Math.min(restMs, this.#maxWaitMs - waitedMs);
        return true;
      }
      waiter.reject(new QueueFull(queue, limit, Math.round(waitedMs)));
      return false;
    });
    return restMs;
  }
}

/**
 * Lets waiters through in their order while the grant lasts.
 *
 * @param {Line} line
 * @returns {boolean} whether any went
 */
function admitWaiters(line) {
  let admitted = 0;
  for (const waiter of line.waiters) {
    if (waiter.count > line.granted) break;
    line.granted -= waiter.count;
    waiter.resolve();
    admitted += 1;
  }
  line.waiters.splice(0, admitted);
  return admitted > 0;
}

/**
 * A Map of the record's own entries, so that a queue called `constructor` has no limit by accident.
 *
 * @param {QueueDepthLimit} limits
 * @returns {number | Map<string, number>}
 */
function depthLimits(limits) {
  if (typeof limits !== 'object' || limits === null) return wholeAtLeastDepth(limits, '*');
  return new Map(
    Object.entries(limits).map(([queue, limit]) => [queue, wholeAtLeastDepth(limit, queue)]),
  );
}

/**
 * @param {unknown} limit
 * @param {string} queue
 */
function wholeAtLeastDepth(limit, queue) {
  return wholeAtLeast(limit, `maxQueueDepth for ${queue}`, 1);
}
