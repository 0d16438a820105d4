/** Checks of what callers pass, and how a refused value is shown in the message. */
import { SerializationError } from './errors.js';

/**
 * A value as an error message shows it; never throws.
 *
 * @param {unknown} value
 */
export function shown(value) {
  try {
    if (Array.isArray(value)) return 'an array';
    if (typeof value === 'function') return 'a function';
    return typeof value === 'object' && value !== null
      ? `an object of class ${value.constructor?.name ?? 'Object'}`
      : String(value);
  } catch {
    return 'an unreadable object';
  }
}

/**
 * A text for a column: a string that UTF-8 can hold. A lone surrogate would silently become another
 * name on its way to the database.
 *
 * @param {unknown} value
 * @param {string} what
 * @returns {string}
 */
export function wellFormed(value, what) {
  if (typeof value !== 'string') throw new Error(`${what} must be a string, got ${shown(value)}`);
  if (!value.isWellFormed()) {
    throw new SerializationError(`${what} holds a lone surrogate, which is not valid Unicode`);
  }
  return value;
}

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {string | null}
 */
export function wellFormedOrNull(value, what) {
  return value === undefined || value === null ? null : wellFormed(value, what);
}

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {string[]}
 */
export function wellFormedList(value, what) {
  if (!Array.isArray(value)) throw new Error(`${what} must be an array, got ${shown(value)}`);
  return value.map((item) => wellFormed(item, what));
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
export function isWhole(value) {
  return Number.isInteger(value);
}

/**
 * @param {unknown} value
 * @param {string} what
 * @param {number} minimum
 * @returns {number}
 */
export function wholeAtLeast(value, what, minimum) {
  if (isWhole(value) && value >= minimum) return value;
  throw new Error(`${what} must be an integer >= ${minimum}, got ${shown(value)}`);
}

/**
 * A duration in milliseconds as the native side takes it: whole, and with "for ever" as a number.
 *
 * @param {unknown} value
 * @param {string} what
 * @param {{ above?: number, atLeast?: number }} bound exactly one of them
 * @returns {number}
 */
export function duration(value, what, { above, atLeast = 0 }) {
  const fits =
    typeof value === 'number' && (above === undefined ? value >= atLeast : value > above);
  if (fits) return Math.min(Math.ceil(/** @type {number} */ (value)), Number.MAX_SAFE_INTEGER);
  const bound = above === undefined ? `>= ${atLeast}` : `> ${above}`;
  throw new Error(`${what} must be ${bound}, got ${shown(value)}`);
}
