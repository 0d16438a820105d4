/**
 * WorkerOptions, checked and completed.
 *
 * @typedef {import('../../index.js').WorkerOptions} WorkerOptions
 * @typedef {ReturnType<typeof normalOptions>} NormalOptions
 */
import { duration, shown, wellFormed, wellFormedList, wholeAtLeast } from '../arguments.js';
import { DEFAULT_RETRY_BACKOFF_MAX_MS, DEFAULT_RETRY_BACKOFF_MS } from '../backoff.js';

/**
 * @param {string} workerId
 * @param {readonly string[]} queues
 * @param {WorkerOptions} options
 */
export function normalOptions(workerId, queues, options) {
  const leaseMs = duration(options.leaseMs ?? 30_000, 'leaseMs', { above: 0 });
  const heartbeatMs = options.heartbeatIntervalMs ?? Math.max(50, Math.floor(leaseMs / 3));
  const backoffMs = options.retryBackoffMs ?? DEFAULT_RETRY_BACKOFF_MS;
  const backoffMaxMs = options.retryBackoffMaxMs ?? DEFAULT_RETRY_BACKOFF_MAX_MS;
  return {
    workerId,
    queues: wellFormedList(queues, 'queues'),
    concurrency: wholeConcurrency(options.concurrency ?? 1),
    leaseMs,
    heartbeatIntervalMs: duration(heartbeatMs, 'heartbeatIntervalMs', { above: 0 }),
    pollIntervalMs: Math.max(
      1,
      duration(options.pollIntervalMs ?? 500, 'pollIntervalMs', { atLeast: 0 }),
    ),
    claimBatch: claimBatch(options.claimBatch ?? null),
    retryBackoffMs: duration(Math.max(0, backoffMs), 'retryBackoffMs', { atLeast: 0 }),
    retryBackoffMaxMs: duration(Math.max(0, backoffMaxMs), 'retryBackoffMaxMs', { atLeast: 0 }),
    maxRunMs: optionalAboveZero(options.maxRunMs ?? null, 'maxRunMs'),
    maxInFlightBytes: optionalAboveZero(options.maxInFlightBytes ?? null, 'maxInFlightBytes'),
    resources: capacities(options.resources ?? {}),
    maxBlockedMs: duration(options.maxBlockedMs ?? 600_000, 'maxBlockedMs', { atLeast: 0 }),
    prefetch: prefetch(options.prefetch ?? 'auto'),
  };
}

/**
 * @param {unknown} concurrency
 * @returns {number}
 */
export function wholeConcurrency(concurrency) {
  if (typeof concurrency === 'number' && Number.isFinite(concurrency)) {
    return Math.max(1, Math.min(Math.floor(concurrency), Number.MAX_SAFE_INTEGER));
  }
  throw new Error(`concurrency must be a finite number, got ${shown(concurrency)}`);
}

/**
 * @param {number | null} rows
 * @returns {number | null} null: no ceiling
 */
function claimBatch(rows) {
  if (rows === null || rows === Number.POSITIVE_INFINITY) return null;
  if (typeof rows !== 'number' || !Number.isFinite(rows)) {
    throw new Error(`claimBatch must be an integer >= 1, got ${shown(rows)}`);
  }
  return Math.max(1, Math.floor(rows));
}

/**
 * @param {number | null} value
 * @param {string} what
 */
function optionalAboveZero(value, what) {
  return value === null ? null : duration(value, what, { above: 0 });
}

/**
 * A record of its own entries only, so that a resource called `constructor` exists when declared and
 * not otherwise.
 *
 * @param {Record<string, number>} resources
 * @returns {Record<string, number>}
 */
function capacities(resources) {
  const entries = Object.entries(resources).map(([name, capacity]) => {
    wellFormed(name, 'resource name');
    const units = wholeAtLeast(capacity, `resources[${JSON.stringify(name)}]`, 1);
    return [name, Math.min(units, 2 ** 32 - 1)];
  });
  return Object.fromEntries(entries);
}

/**
 * @param {unknown} value
 * @returns {number | null} null: adaptive
 */
function prefetch(value) {
  if (value === 'auto') return null;
  if (Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0) {
    return /** @type {number} */ (value);
  }
  throw new Error(`prefetch must be "auto" or an integer >= 0, got ${shown(value)}`);
}
