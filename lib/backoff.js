/** How long a failed attempt waits before the next: exponential, with the upper half random. */

export const DEFAULT_RETRY_BACKOFF_MS = 1000;
export const DEFAULT_RETRY_BACKOFF_MAX_MS = 30_000;

/**
 * @param {number} attempt the attempt that just failed, from 1
 * @param {number} [baseMs]
 * @param {number} [maxMs]
 * @param {() => number} [rand] a number in [0, 1)
 * @returns {number} whole milliseconds
 */
export function retryDelayMs(
  attempt,
  baseMs = DEFAULT_RETRY_BACKOFF_MS,
  maxMs = DEFAULT_RETRY_BACKOFF_MAX_MS,
  rand = Math.random,
) {
  if (baseMs <= 0) return 0;
  const window = Math.min(maxMs, baseMs * 2 ** (attempt - 1), Number.MAX_SAFE_INTEGER);
  const half = Math.floor(window / 2);
  return half + Math.floor(rand() * (window - half));
}
