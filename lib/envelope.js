/**
 * What ends an attempt, turned into the envelope that is stored as the task's error. Handlers throw
 * anything, hostile proxies included, and a task must fail with some text whatever it was: nothing
 * here throws.
 *
 * @typedef {import('../index.js').ErrorEnvelope} ErrorEnvelope
 */
import { isNativeError } from 'node:util/types';
import { TaskError } from './errors.js';
import { encode } from './json.js';

/** The text of a thrown value whose own fields throw when read. */
const UNREADABLE = 'the thrown value could not be read';

/**
 * @param {string} type
 * @param {string} code
 * @param {string} message
 * @param {boolean} retryable
 * @returns {ErrorEnvelope}
 */
export function envelope(type, code, message, retryable) {
  return { type, code, message, retryable, details: {} };
}

/**
 * The envelope of a value that a handler threw.
 *
 * @param {any} thrown
 * @returns {ErrorEnvelope}
 */
export function thrownEnvelope(thrown) {
  return describe(thrown, true);
}

/**
 * The envelope of a reason given to `ctx.fail`: a plain object is stored as it is.
 *
 * @param {any} reason
 * @param {boolean} retryable
 * @returns {{ error: any, retryable: boolean }} retryable: a TaskError's own, else the caller's
 */
export function givenEnvelope(reason, retryable) {
  if (isPlainObject(reason)) return { error: reason, retryable };
  const error = describe(reason, retryable);
  return { error, retryable: error.retryable };
}

/**
 * JSON of an envelope. One that cannot be encoded (details with a BigInt, a cycle) is cut down to
 * its texts: the attempt's end must reach the database.
 *
 * @param {any} error
 * @returns {string}
 */
export function encodeEnvelope(error) {
  try {
    return encode(error);
  } catch {
    return encode({
      type: text(() => error.type, 'Error'),
      code: text(() => error.code, 'handler_error'),
      message: text(() => error.message, UNREADABLE),
      retryable: flag(() => error.retryable),
      details: {},
    });
  }
}

/**
 * @param {any} value
 * @param {boolean} retryable
 * @returns {ErrorEnvelope}
 */
function describe(value, retryable) {
  try {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
      return envelope('TaskError', 'task_error', String(value), retryable);
    }
    if (isTaskError(value)) return ownEnvelope(value.envelope());
    const named = typeof value.name === 'string' && value.name !== '' ? value.name : 'Error';
    const error = value instanceof Error || isNativeError(value);
    const said = value.message;
    const message = error || said !== undefined ? String(said) : String(value);
    return envelope(named, 'handler_error', message, retryable);
  } catch {
    return envelope('Error', 'handler_error', UNREADABLE, retryable);
  }
}

/**
 * By name and shape as well as by class, so that the older SDK's TaskError counts.
 *
 * @param {any} value
 */
function isTaskError(value) {
  return (
    value instanceof TaskError ||
    (value.name === 'TaskError' && typeof value.envelope === 'function')
  );
}

/**
 * @param {any} own what a TaskError's envelope() gave
 * @returns {ErrorEnvelope}
 */
function ownEnvelope(own) {
  return {
    type: own.type ?? 'TaskError',
    code: own.code ?? 'task_error',
    message: own.message ?? 'task failed',
    retryable: Boolean(own.retryable),
    details: own.details ?? {},
  };
}

/** @param {any} value */
function isPlainObject(value) {
  if (value === null || typeof value !== 'object') return false;
  try {
    const prototype = Object.getPrototypeOf(value);
    return prototype === null || prototype === Object.prototype;
  } catch {
    return false;
  }
}

/**
 * @param {() => unknown} read
 * @param {string} otherwise
 */
function text(read, otherwise) {
  try {
    const value = read();
    return value === undefined || value === null ? otherwise : String(value);
  } catch {
    return otherwise;
  }
}

/** @param {() => unknown} read */
function flag(read) {
  try {
    return Boolean(read());
  } catch {
    return false;
  }
}
