/**
 * The filters of list, purge and queueDepth, checked and completed for the native side.
 *
 * @typedef {import('../index.js').ListInput} ListInput
 * @typedef {import('../index.js').PurgeInput} PurgeInput
 */
import { duration, isWhole, shown, wellFormedOrNull } from './arguments.js';
import { STATUSES } from './task.js';

/** @param {ListInput} [input] */
export function listFilter(input) {
  const { limit: asked, offset, status, queue, name, rootId, correlationId } = input ?? {};
  const limit = asked ?? 100;
  const start = offset ?? 0;
  if (!isCount(limit) || !isCount(start)) {
    throw new Error(`limit/offset must be >= 0, got limit=${shown(limit)} offset=${shown(start)}`);
  }
  return {
    status: statusFilter(status),
    queue: wellFormedOrNull(queue, 'queue'),
    name: wellFormedOrNull(name, 'name'),
    rootId: wellFormedOrNull(rootId, 'rootId'),
    correlationId: wellFormedOrNull(correlationId, 'correlationId'),
    limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
    offset: Math.min(start, Number.MAX_SAFE_INTEGER),
  };
}

/** @param {PurgeInput} [input] */
export function purgeFilter(input) {
  const { olderThanMs, limit: asked, status, name, queue } = input ?? {};
  const limit = asked ?? 1000;
  const age = duration(olderThanMs ?? 0, 'olderThanMs', { atLeast: 0 });
  if (!isCount(limit) || limit < 1) throw new Error(`limit must be >= 1, got ${shown(limit)}`);
  return {
    olderThanMs: age,
    limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
    status: statusFilter(status),
    name: wellFormedOrNull(name, 'name'),
    queue: wellFormedOrNull(queue, 'queue'),
  };
}

/** @param {unknown} maxDepth */
export function depthBound(maxDepth) {
  if (isWhole(maxDepth) && maxDepth >= 0) return Math.min(maxDepth, Number.MAX_SAFE_INTEGER);
  throw new Error(`maxDepth must be a non-negative integer, got ${shown(maxDepth)}`);
}

/**
 * @param {unknown} status
 * @returns {string | null}
 */
export function statusFilter(status) {
  if (status === undefined || status === null) return null;
  const known = STATUSES.find((name) => name === status);
  if (known === undefined) throw new Error(`unknown status filter: ${shown(status)}`);
  return known;
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isCount(value) {
  return value === Infinity || (isWhole(value) && value >= 0);
}
