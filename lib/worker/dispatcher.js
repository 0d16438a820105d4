/**
 * Stands between a native worker and the handler calls: takes its events, gathers the outcomes of
 * each turn of the event loop, hands them down, and starts the calls that come back.
 *
 * @typedef {import('../../native.cjs').NativeWorker} NativeWorker
 * @typedef {import('./registration.js').Registration} Registration
 * @typedef {(error: any, info: { phase: import('../../index.js').ErrorPhase, taskId?: string }) => void} Report
 */
import { AsyncResource } from 'node:async_hooks';
import { EventLoopBlocked, fromNative, toNative } from '../errors.js';
import { Lookout } from '../lookout.js';
import { replacedSteps } from '../replaced.js';
import { Calls } from './calls.js';
import { claimThroughStore, renewThroughStore } from './handed-back.js';
import { WorkerLease } from './lease.js';
import { LOST, Outcomes, SETTLED } from './outcomes.js';

/** Errors of replaced methods kept until the native side reports them. */
const THROWN_REMEMBERED = 16;

export class Dispatcher {
  #native;
  #store;
  #options;
  #handlers;
  #report;
  /** @type {Outcomes} */
  #outcomes;
  /** @type {Calls} */
  #calls;
  #replaced = 0;
  #lookout = new Lookout();
  /** @type {Map<number, unknown>} */
  #thrown = new Map();
  #thrownCount = 0;
  // Handlers run in the async context of run(), not in that of whichever handler happened to
  // schedule the flush that started them.
  #scope = new AsyncResource('CairnQWorker');

  /**
   * @param {NativeWorker} native
   * @param {import('../store.js').TaskStore} store
   * @param {import('./options.js').NormalOptions} options
   * @param {Map<string, Registration>} handlers
   * @param {Report} report
   */
  constructor(native, store, options, handlers, report) {
    this.#native = native;
    this.#store = store;
    this.#options = options;
    this.#handlers = handlers;
    this.#report = report;
    this.#outcomes = new Outcomes(
      () => this.#scope.runInAsyncScope(this.#flush, this),
      () => !this.#calls.isIdle,
    );
    const lease = new WorkerLease(native, store, options, (attempt, lost) => {
      this.#outcomes.record(lost ? LOST : SETTLED, attempt.handle);
    });
    this.#calls = new Calls(lease, handlers, this.#outcomes, report);
  }

  /** Tells the native side which steps JavaScript has taken over since it was last told. */
  noteReplaced() {
    const replaced = replacedSteps(this.#store);
    if (replaced === this.#replaced) return;
    this.#replaced = replaced;
    this.#native.replaced(replaced);
  }

  /** @param {any} event of the native worker */
  handle(event) {
    this.#scope.runInAsyncScope(this.#handle, this, event);
  }

  /** @param {any} event */
  #handle(event) {
    this.noteReplaced();
    switch (event.e) {
      case 'ready':
        this.#lookout.answered();
        // A flush that is due brings the same calls in the crossing it makes anyway.
        if (!this.#outcomes.isDue) {
          this.#outcomes.begin();
          this.#start(() => this.#native.take());
        }
        break;
      case 'lost':
        for (const handle of event.handles) this.#calls.lose(handle);
        break;
      case 'error':
        this.#reportNative(event);
        break;
      case 'blocked':
        this.#report(
          new EventLoopBlocked(event.lateMs, event.intervalMs, event.leaseMs),
          where('execute', event.taskId),
        );
        break;
      case 'claim':
        this.#claim(event.req);
        break;
      case 'beat':
        this.#renew(event.taskIds, event.req);
        break;
    }
  }

  #flush() {
    this.noteReplaced();
    const { codes, text } = this.#outcomes.take();
    this.#start(() => this.#native.settle(codes, text));
    if (this.#calls.isIdle) this.#lookout.asked();
  }

  /** @param {() => string[] | null} take */
  #start(take) {
    const askedAt = performance.now();
    this.#calls.start(take(), askedAt);
  }

  /** @param {number} req */
  #claim(req) {
    const names = [...this.#handlers.keys()];
    const describe = (/** @type {unknown} */ error) => this.#describe(error);
    void claimThroughStore(this.#native, this.#store, this.#options, names, req, describe);
  }

  /**
   * @param {string[]} taskIds
   * @param {number} req
   */
  #renew(taskIds, req) {
    const describe = (/** @type {unknown} */ error) => this.#describe(error);
    void renewThroughStore(this.#native, this.#store, this.#options, taskIds, req, describe);
  }

  /** @param {{ phase: import('../../index.js').ErrorPhase, taskId?: string, error: any }} event */
  #reportNative({ phase, taskId, error }) {
    const info = where(phase, taskId);
    const { thrown } = error;
    if (!this.#thrown.has(thrown)) {
      this.#report(fromNative(error), info);
      return;
    }
    const original = this.#thrown.get(thrown);
    this.#thrown.delete(thrown);
    this.#report(original, info);
  }

  /**
   * What a replaced method threw goes down as text and comes back for onError, which is to get the
   * very object.
   *
   * @param {unknown} error
   */
  #describe(error) {
    this.#thrownCount += 1;
    this.#thrown.set(this.#thrownCount, error);
    // One that the native side chose not to report must not stay for good.
    this.#thrown.delete(this.#thrownCount - THROWN_REMEMBERED);
    return toNative(error, this.#thrownCount);
  }
}

/**
 * @param {import('../../index.js').ErrorPhase} phase
 * @param {string | null} [taskId]
 */
function where(phase, taskId) {
  return taskId === undefined || taskId === null ? { phase } : { phase, taskId };
}
