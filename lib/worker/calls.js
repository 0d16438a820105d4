/**
 * Runs handler calls and turns what becomes of each into outcomes. This is the hot path, some
 * microseconds per task: nothing here is allocated or awaited that a plain handler does not need.
 *
 * @typedef {import('./registration.js').Registration} Registration
 * @typedef {import('./dispatcher.js').Report} Report
 * @typedef {[handle: number, taskId: string, queue: string, attempt: number, maxAttempts: number,
 *   rootId: string | null, correlationId: string | null, metadata: string | null]} TaskTuple
 * @typedef {[callId: number, name: string, tasks: TaskTuple[]]} CallTuple
 * @typedef {{ id: number, attempts: Attempt[], batch: boolean, parts: Parts | null }} Call
 * @typedef {{ open: number }} Parts the calls that one delivered call was split into
 */
import { Attempt } from '../attempt.js';
import { TaskContext } from '../context.js';
import { encodeEnvelope, envelope, thrownEnvelope } from '../envelope.js';
import { isLostLease } from '../errors.js';
import { encodeResult } from '../json.js';
import { isReplaced } from '../replaced.js';
import { announceEnd, isObserved, noteEnding, observed } from './diagnostics.js';
import { COMPLETE, DONE, FAIL_FINAL, FAIL_RETRYABLE, LOST, SETTLED } from './outcomes.js';

/** A call that begins later than this after it was asked for is asked about first: see #stillOurs. */
const PROMPT_MS = 10;

export class Calls {
  #store;
  #handlers;
  #lease;
  #outcomes;
  #report;
  /** Attempts whose call is not over, by handle. @type {Map<number, Attempt>} */
  #live = new Map();

  /**
   * @param {import('./lease.js').WorkerLease} lease
   * @param {Map<string, Registration>} handlers
   * @param {import('./outcomes.js').Outcomes} outcomes
   * @param {Report} report
   */
  constructor(lease, handlers, outcomes, report) {
    this.#store = lease.store;
    this.#handlers = handlers;
    this.#lease = lease;
    this.#outcomes = outcomes;
    this.#report = report;
  }

  /** Whether no call is under way. */
  get isIdle() {
    return this.#live.size === 0;
  }

  /**
   * @param {string[] | null} delivery calls, then their payloads in task order
   * @param {number} askedAt when the native side was asked for them, on the clock of `performance`
   */
  start(delivery, askedAt) {
    if (delivery === null) return;
    /** @type {CallTuple[]} */
    const calls = JSON.parse(delivery[0]);
    let next = 1;
    for (const [id, name, tasks] of calls) {
      const attempts = [];
      for (const [handle, taskId, queue, attempt, , rootId, correlationId, metadata] of tasks) {
        const task = { id: taskId, name, queue, attempt, rootId, correlationId };
        const started = new Attempt(this.#lease, handle, task, delivery[next], metadata);
        next += 1;
        this.#live.set(handle, started);
        attempts.push(started);
      }
      const prompt = performance.now() - askedAt < PROMPT_MS;
      const ours = prompt ? attempts : attempts.filter((attempt) => this.#stillOurs(attempt));
      if (ours.length > 0) this.#begin(id, name, ours);
      else this.#outcomes.record(DONE, id);
    }
  }

  /**
   * The process may have been stopped since, or a handler that came first have blocked the thread:
   * what ran out of its time meanwhile is somebody else's by now, and is not begun.
   *
   * @param {Attempt} attempt
   */
  #stillOurs(attempt) {
    if (this.#lease.holds(attempt)) return true;
    attempt.lose();
    this.#live.delete(attempt.handle);
    this.#outcomes.record(LOST, attempt.handle);
    return false;
  }

  /**
   * @param {number} id
   * @param {string} name
   * @param {Attempt[]} attempts
   */
  #begin(id, name, attempts) {
    const registered = this.#handlers.get(name);
    if (registered === undefined) {
      const error = envelope('NoHandler', 'no_handler', `no handler registered for ${name}`, false);
      this.#failAll({ id, attempts, batch: false, parts: null }, error);
      return;
    }
    const { handler } = registered;
    if (registered.batch !== null) {
      const call = { id, attempts, batch: true, parts: null };
      this.#run(call, () => handler(attempts.map((attempt) => new TaskContext(attempt))));
      return;
    }
    // More than one only when a batch handler was replaced by a plain one after the claim.
    const parts = attempts.length > 1 ? { open: attempts.length } : null;
    for (const attempt of attempts) {
      const call = { id, attempts: [attempt], batch: false, parts };
      this.#run(call, () => handler(new TaskContext(attempt), attempt.payload));
    }
  }

  /**
   * @param {Call} call
   * @param {() => unknown} invoke
   */
  #run(call, invoke) {
    let value;
    try {
      value = isObserved() ? observed(call.attempts, invoke) : invoke();
      if (isThenable(value)) {
        const promise = value instanceof Promise ? value : Promise.resolve(value);
        promise.then(
          (result) => this.#returned(call, result),
          (error) => this.#threw(call, error),
        );
        return;
      }
    } catch (error) {
      this.#threw(call, error);
      return;
    }
    this.#returned(call, value);
  }

  /**
   * @param {Call} call
   * @param {unknown} value
   */
  #returned(call, value) {
    if (this.#waitsForOwnSettlement(call, () => this.#returned(call, value))) return;
    const pending = [];
    for (const attempt of call.attempts) {
      const end = call.batch ? this.#completeOf(attempt, value) : this.#complete(attempt, value);
      if (end !== undefined) pending.push(end);
    }
    this.#finish(call, pending);
  }

  /**
   * @param {Call} call
   * @param {unknown} error
   */
  #threw(call, error) {
    if (this.#waitsForOwnSettlement(call, () => this.#threw(call, error))) return;
    const lostId = isLostLease(error) ? error.taskId : null;
    this.#failAll(call, thrownEnvelope(error), lostId);
  }

  /**
   * @param {Call} call
   * @param {import('../../index.js').ErrorEnvelope} error
   * @param {string | null} [lostId] the task whose lost lease is what ended the call
   */
  #failAll(call, error, lostId = null) {
    const pending = [];
    for (const attempt of call.attempts) {
      if (attempt.taskId === lostId) attempt.lose();
      const end = this.#fail(attempt, error);
      if (end !== undefined) pending.push(end);
    }
    this.#finish(call, pending);
  }

  /**
   * A handler may return while a succeed() or fail() it did not await is under way; what it leaves
   * unsettled is known only after that.
   *
   * @param {Call} call
   * @param {() => void} then
   */
  #waitsForOwnSettlement({ attempts }, then) {
    if (attempts.every(({ settling }) => settling === null)) return false;
    Promise.all(attempts.map(({ settling }) => settling)).then(then);
    return true;
  }

  /**
   * @param {Attempt} attempt
   * @param {any} results by task id
   */
  #completeOf(attempt, results) {
    let result;
    try {
      const { taskId } = attempt;
      const given =
        typeof results === 'object' && results !== null && Object.hasOwn(results, taskId);
      result = given ? results[taskId] : null;
    } catch (error) {
      return this.#fail(attempt, thrownEnvelope(error));
    }
    return this.#complete(attempt, result);
  }

  /**
   * @param {Attempt} attempt
   * @param {unknown} result
   * @returns {Promise<void> | undefined} pending while a replaced store method has it
   */
  #complete(attempt, result) {
    if (!this.#close(attempt)) return undefined;
    let text;
    try {
      text = encodeResult(result);
    } catch (error) {
      return this.#fail(attempt, unserializable(error), true);
    }
    noteEnding(attempt, 'completed');
    if (isReplaced(this.#store, 'complete')) {
      return this.#through(attempt, () => this.#lease.storeComplete(attempt, result));
    }
    this.#outcomes.record(COMPLETE, attempt.handle, text);
    return undefined;
  }

  /**
   * @param {Attempt} attempt
   * @param {import('../../index.js').ErrorEnvelope} error
   * @param {boolean} [closed] whether the attempt was closed for this already
   * @returns {Promise<void> | undefined}
   */
  #fail(attempt, error, closed = false) {
    if (!closed && !this.#close(attempt)) return undefined;
    noteEnding(attempt, 'failed', error);
    if (isReplaced(this.#store, 'fail')) {
      return this.#through(attempt, () => this.#lease.storeFail(attempt, error, error.retryable));
    }
    const kind = error.retryable ? FAIL_RETRYABLE : FAIL_FINAL;
    this.#outcomes.record(kind, attempt.handle, encodeEnvelope(error));
    return undefined;
  }

  /**
   * Bars the context from further writes.
   *
   * @param {Attempt} attempt
   * @returns {boolean} whether an outcome is still to be recorded
   */
  #close(attempt) {
    attempt.closed = true;
    if (!attempt.settled && !attempt.lost) return true;
    noteEnding(attempt, attempt.settled ? 'settled' : 'lost');
    if (attempt.settled) return false;
    this.#outcomes.record(LOST, attempt.handle);
    return false;
  }

  /**
   * @param {Attempt} attempt
   * @param {() => Promise<unknown>} send
   */
  async #through(attempt, send) {
    try {
      await send();
      attempt.settled = true;
      this.#outcomes.record(SETTLED, attempt.handle);
    } catch (error) {
      if (isLostLease(error)) attempt.lose();
      else this.#report(error, { phase: 'execute', taskId: attempt.taskId });
      // Nothing was recorded: the lease runs out and the attempt counts as crashed.
      noteEnding(attempt, 'lost');
      this.#outcomes.record(LOST, attempt.handle);
    }
  }

  /**
   * @param {Call} call
   * @param {Promise<void>[]} pending
   */
  #finish(call, pending) {
    if (pending.length > 0) {
      Promise.all(pending).then(() => this.#finish(call, []));
      return;
    }
    for (const attempt of call.attempts) {
      this.#live.delete(attempt.handle);
      announceEnd(attempt);
    }
    if (call.parts !== null) {
      call.parts.open -= 1;
      if (call.parts.open > 0) return;
    }
    this.#outcomes.record(DONE, call.id);
    this.#outcomes.complete();
  }

  /** @param {number} handle of an attempt whose lease is lost */
  lose(handle) {
    const attempt = this.#live.get(handle);
    if (attempt === undefined) this.#lease.rememberLost(handle);
    else attempt.lose();
  }
}

/** @param {any} value */
function isThenable(value) {
  return (
    value !== null &&
    (typeof value === 'object' || typeof value === 'function') &&
    typeof value.then === 'function'
  );
}

/** @param {unknown} error */
function unserializable(error) {
  const { message } = /** @type {Error} */ (error);
  return envelope(
    'SerializationError',
    'unserializable_result',
    `handler result is not JSON-serializable: ${message}`,
    false,
  );
}
