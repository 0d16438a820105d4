import { isDeepStrictEqual } from 'node:util';

/** Each gives whether the answer passes. */
const CHECKS = {
  $any: (_expected, actual) => actual !== null,
  $ne: (expected, actual) => actual !== expected,
  $gt: (expected, actual) => typeof actual === 'number' && actual > expected,
  $gte: (expected, actual) => typeof actual === 'number' && actual >= expected,
  $lt: (expected, actual) => typeof actual === 'number' && actual < expected,
  $lte: (expected, actual) => typeof actual === 'number' && actual <= expected,
  $match: (expected, actual) =>
    typeof actual === 'string' && new RegExp(expected, 'u').test(actual),
  $length: (expected, actual) => Array.isArray(actual) && actual.length === expected,
  $is: (expected, actual) => isDeepStrictEqual(plain(actual), plain(expected)),
  $unordered: (expected, actual) => isDeepStrictEqual(sorted(actual), sorted(expected)),
  $sorted: (fields, actual) => inOrder(actual, fields),
};

/**
 * What the first difference is, or null when the answer is as expected.
 * @param {unknown} expected references already resolved
 * @param {unknown} actual
 * @param {string} at where in the answer
 * @returns {string | null}
 */
export function mismatch(expected, actual, at) {
  if (expected === null || typeof expected !== 'object') {
    return expected === actual ? null : told(expected, actual, at);
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return told(expected, actual, at);
    }
    return first(expected, (item, index) => mismatch(item, actual[index], `${at}.${index}`));
  }
  return first(Object.entries(expected), ([key, item]) => {
    if (Object.hasOwn(CHECKS, key)) {
      return CHECKS[key](item, actual) ? null : told(expected, actual, at);
    }
    if (actual === null || typeof actual !== 'object' || !Object.hasOwn(actual, key)) {
      return `${at} has no ${key}`;
    }
    return mismatch(item, actual[key], `${at}.${key}`);
  });
}

function first(items, differenceOf) {
  for (const [index, item] of items.entries()) {
    const found = differenceOf(item, index);
    if (found) return found;
  }
  return null;
}

function told(expected, actual, at) {
  return `${at} should be ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`;
}

/** Through JSON, so that prototypes do not count; the order of keys never does. */
function plain(value) {
  return JSON.parse(JSON.stringify(value));
}

function sorted(items) {
  return Array.isArray(items) ? items.map((item) => JSON.stringify(item)).sort() : items;
}

function inOrder(rows, fields) {
  if (!Array.isArray(rows)) return false;
  return rows.every((row, index) => index === 0 || comesAfter(row, rows[index - 1], fields));
}

function comesAfter(row, before, fields) {
  for (const field of fields) {
    const name = field.replace(/^-/, '');
    if (row[name] !== before[name]) return row[name] > before[name] === (name === field);
  }
  return false;
}
