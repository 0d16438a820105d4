/**
 * Tells subscribers of `node:diagnostics_channel` when a handler starts on a task and when it is
 * over. Without subscribers a call costs one look.
 *
 * @typedef {import('../attempt.js').Attempt} Attempt
 * @typedef {import('../../index.js').TaskEndMessage['outcome']} Ending
 */
import { channel } from 'node:diagnostics_channel';
import { performance } from 'node:perf_hooks';

// Held here, or they would be collected with their subscribers.
const start = channel('cairnq:task:start');
const end = channel('cairnq:task:end');

/** Whether anybody wants to hear of tasks. */
export function isObserved() {
  return start.hasSubscribers || end.hasSubscribers;
}

/**
 * Announces each attempt of a call, and runs its handler with the async-local stores that were bound
 * to the start of the first.
 *
 * @template T
 * @param {Attempt[]} attempts
 * @param {() => T} invoke
 * @returns {T}
 */
export function observed(attempts, invoke) {
  for (const attempt of attempts) attempt.observed = startMessage(attempt);
  for (const attempt of attempts.slice(1)) start.publish(attempt.observed);
  return start.runStores(/** @type {object} */ (attempts[0].observed), invoke);
}

/**
 * Notes how the handler's work on the task ended, for when the call is over.
 *
 * @param {Attempt} attempt
 * @param {Ending} outcome
 * @param {import('../../index.js').ErrorEnvelope | null} [error]
 */
export function noteEnding(attempt, outcome, error = null) {
  if (attempt.observed !== null) Object.assign(attempt.observed, { outcome, error });
}

/** @param {Attempt} attempt of a call that is over */
export function announceEnd(attempt) {
  const message = attempt.observed;
  if (message === null) return;
  attempt.observed = null;
  message.durationMs = wallMs() - message.startedAtMs;
  end.publish(message);
}

/**
 * Start and end of an attempt are told with one object, so that a subscriber can keep what it knows
 * of it in a WeakMap.
 *
 * @param {Attempt} attempt
 */
function startMessage(attempt) {
  const { taskId, name, queue, attempt: number, rootId, correlationId } = attempt;
  const message = {
    workerId: attempt.lease.workerId,
    taskId,
    name,
    queue,
    attempt: number,
    rootId,
    correlationId,
    // Decoded only for those who look.
    get metadata() {
      return attempt.metadata;
    },
    startedAtMs: wallMs(),
    durationMs: /** @type {number | null} */ (null),
    outcome: /** @type {Ending | null} */ (null),
    error: /** @type {import('../../index.js').ErrorEnvelope | null} */ (null),
  };
  return message;
}

/** Milliseconds since the epoch that never step back. */
function wallMs() {
  return performance.timeOrigin + performance.now();
}
