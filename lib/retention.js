/**
 * Deletes finished tasks of a certain age, on a schedule.
 *
 * @typedef {import('../index.js').RetentionOptions} RetentionOptions
 * @typedef {import('../index.js').PurgeInput} PurgeInput
 * @typedef {{ purge(input: PurgeInput): Promise<string[]> }} PurgeTarget
 */
import { duration, shown, wholeAtLeast } from './arguments.js';
import { inBackground } from './bridge.js';
import { quietly } from './report.js';
import { TERMINAL_STATUSES } from './task.js';
import { sleep } from './timers.js';

export class RetentionSweeper {
  #store;
  #rules;
  #intervalMs;
  #limit;
  #report;
  /** @type {AbortController | null} */
  #schedule = null;
  /** @type {Set<Promise<unknown>>} */
  #sweeps = new Set();

  /**
   * @param {PurgeTarget} store
   * @param {RetentionOptions} options
   */
  constructor(store, { olderThanMs, intervalMs, limit, onError }) {
    this.#store = store;
    this.#rules = purgeRules(olderThanMs);
    this.#intervalMs = duration(intervalMs ?? 3_600_000, 'retention.intervalMs', { atLeast: 1 });
    this.#limit = wholeAtLeast(limit ?? 1000, 'retention.limit', 1);
    this.#report = quietly(onError);
  }

  /** Begins the schedule; the first sweep comes one interval later. */
  start() {
    if (this.#schedule !== null) return;
    this.#schedule = new AbortController();
    this.#run(this.#schedule.signal);
  }

  /** Ends the schedule; resolves when no sweep is under way any more. */
  async stop() {
    this.#schedule?.abort();
    this.#schedule = null;
    await Promise.allSettled(this.#sweeps);
  }

  /**
   * Purges now, whatever the schedule.
   *
   * @returns {Promise<number>} how many tasks were deleted
   */
  async sweep() {
    return await this.#track(this.#purge(undefined));
  }

  /** @param {AbortSignal} signal */
  async #run(signal) {
    for (;;) {
      await sleep(this.#intervalMs, { signal, hold: false });
      if (signal.aborted) return;
      try {
        await this.#track(this.#purge(signal));
      } catch (error) {
        this.#report(error);
      }
    }
  }

  /**
   * @param {AbortSignal | undefined} signal of the schedule this sweep belongs to: it neither holds
   *   the process nor goes on, batch after batch, once the schedule has ended
   * @returns {Promise<number>}
   */
  async #purge(signal) {
    let count = 0;
    for (const rule of this.#rules) {
      for (;;) {
        if (signal?.aborted) return count;
        const purge = () => this.#store.purge({ ...rule, limit: this.#limit });
        const ids = await (signal === undefined ? purge() : inBackground(purge));
        count += ids.length;
        if (ids.length < this.#limit) break;
      }
    }
    return count;
  }

  /**
   * @template T
   * @param {Promise<T>} sweep
   */
  async #track(sweep) {
    this.#sweeps.add(sweep);
    try {
      return await sweep;
    } finally {
      this.#sweeps.delete(sweep);
    }
  }
}

/**
 * One purge per age: a single one, or one for each status that has its own.
 *
 * @param {RetentionOptions['olderThanMs']} ages
 * @returns {PurgeInput[]}
 */
function purgeRules(ages) {
  if (typeof ages !== 'object' || ages === null) return [{ olderThanMs: age(ages) }];
  return Object.entries(ages).flatMap(([name, value]) => {
    const status = TERMINAL_STATUSES.find((terminal) => terminal === name);
    if (status === undefined) {
      throw new Error(
        `retention.olderThanMs: ${shown(name)} is not one of ${TERMINAL_STATUSES.join(', ')}`,
      );
    }
    return value === undefined || value === null ? [] : [{ olderThanMs: age(value), status }];
  });
}

/** @param {unknown} value */
function age(value) {
  return duration(value, 'retention.olderThanMs', { atLeast: 0 });
}
