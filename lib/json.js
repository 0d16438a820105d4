/**
 * The one JSON encoder: payloads, metadata, results and envelopes all pass here, so that a value
 * which JSON would silently bend (NaN to null, a Map to {}) is refused before anything is written.
 */
import { SerializationError } from './errors.js';

/**
 * Nesting that is stored at most. JSON.stringify itself gives up at some thousands, by the stack
 * that happens to be left; a fixed limit makes the answer the same everywhere.
 */
const MAX_DEPTH = 10_000;

/** Nesting the quick check follows before it leaves the value to the careful path. */
const QUICK_DEPTH = 100;

/**
 * @param {unknown} value
 * @returns {string} its JSON text
 * @throws {SerializationError} when the value, or anything in it, is not JSON
 */
export function encode(value) {
  try {
    const text = isPlain(value, QUICK_DEPTH) ? JSON.stringify(value) : encodeChecked(value);
    if (text !== undefined) return text;
  } catch (error) {
    throw refusal(error);
  }
  throw new SerializationError(`value of type ${typeof value} is not JSON-serializable`);
}

/**
 * JSON of a payload or metadata, for which "nothing" means an empty object.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function encodeObject(value) {
  return value === undefined || value === null ? '{}' : encode(value);
}

/**
 * JSON of a result, for which "nothing" means SQL null, spelled as the empty text.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function encodeResult(value) {
  return value === undefined || value === null ? '' : encode(value);
}

/**
 * Whether JSON.stringify may be trusted with this value. It costs a fraction of a replacer, and
 * nearly every value is plain; whatever is not goes the slow way, which says what is wrong.
 *
 * @param {any} value
 * @param {number} depth
 * @returns {boolean}
 */
function isPlain(value, depth) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) {
    if (/** @type {any} */ (value).toJSON !== undefined) return false;
    for (let i = 0; i < value.length; i++) {
      if (!isPlain(value[i], depth - 1)) return false;
    }
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  if (value.toJSON !== undefined) return false;
  for (const key in value) {
    const member = value[key];
    if (member !== undefined && !isPlain(member, depth - 1)) return false;
  }
  return true;
}

/**
 * @param {unknown} value
 * @returns {string | undefined}
 */
function encodeChecked(value) {
  try {
    return JSON.stringify(value, check);
  } catch (error) {
    // Too deep for the engine's recursion is not too deep for us.
    if (error instanceof RangeError) return encodeDeep(value);
    throw error;
  }
}

/**
 * As JSON.stringify's replacer: it sees every value after toJSON, with its holder as `this`.
 *
 * @this {any}
 * @param {string} _key
 * @param {any} value
 */
function check(_key, value) {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw nonFinite(value);
      break;
    case 'undefined':
    case 'function':
    case 'symbol':
      if (Array.isArray(this)) {
        throw new SerializationError(`${typeof value} inside an array is not JSON-serializable`);
      }
      break;
    case 'object':
      if (value instanceof Map || value instanceof Set) {
        const kind = value instanceof Map ? 'Map' : 'Set';
        throw new SerializationError(
          `a ${kind} is not JSON-serializable: convert it to an array or a plain object`,
        );
      }
      if (value instanceof Number && !Number.isFinite(value.valueOf())) {
        throw nonFinite(value.valueOf());
      }
      break;
  }
  return value;
}

/**
 * JSON.stringify(root, check) without recursion.
 *
 * @param {unknown} root
 * @returns {string | undefined}
 */
function encodeDeep(root) {
  /** @type {{ holder: any, keys: string[] | null, next: number, empty: boolean }[]} */
  const open = [];
  const ancestors = new Set();
  /** @type {string[]} */
  const out = [];
  let value = resolve({ '': root }, '', root);
  if (!isContainer(value)) return JSON.stringify(value);

  for (;;) {
    if (isContainer(value)) {
      if (ancestors.has(value)) throw new TypeError('Converting circular structure to JSON');
      if (open.length === MAX_DEPTH) {
        throw new SerializationError(`nested more than ${MAX_DEPTH} levels deep`);
      }
      ancestors.add(value);
      const keys = Array.isArray(value) ? null : Object.keys(value);
      open.push({ holder: value, keys, next: 0, empty: true });
      out.push(keys === null ? '[' : '{');
    } else {
      out.push(JSON.stringify(value));
    }

    // Close what is finished, then find the next member to write.
    for (;;) {
      const frame = open[open.length - 1];
      if (frame === undefined) return out.join('');
      const { holder, keys } = frame;
      if (frame.next === (keys ?? holder).length) {
        out.push(keys === null ? ']' : '}');
        ancestors.delete(holder);
        open.pop();
        continue;
      }
      const key = keys === null ? String(frame.next) : keys[frame.next];
      frame.next += 1;
      value = resolve(holder, key, holder[key]);
      if (keys !== null && isOmitted(value)) continue;
      if (!frame.empty) out.push(',');
      frame.empty = false;
      if (keys !== null) out.push(JSON.stringify(key), ':');
      break;
    }
  }
}

/**
 * @param {any} holder
 * @param {string} key
 * @param {any} value
 */
function resolve(holder, key, value) {
  const mapped = typeof value?.toJSON === 'function' ? value.toJSON(key) : value;
  return check.call(holder, key, mapped);
}

/** @param {unknown} value */
function isContainer(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof Number || value instanceof String || value instanceof Boolean)
  );
}

/** @param {unknown} value */
function isOmitted(value) {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}

/** @param {number} value */
function nonFinite(value) {
  return new SerializationError(`non-finite number ${value} is not JSON-serializable`);
}

/** @param {unknown} error what the engine, a toJSON or a getter threw */
function refusal(error) {
  if (error instanceof SerializationError) return error;
  const message =
    error instanceof RangeError ? 'nested too deeply' : /** @type {any} */ (error)?.message;
  return new SerializationError(typeof message === 'string' ? message : 'not serializable', {
    cause: error,
  });
}
