/**
 * Timers that keep to what was asked: Node's own fire at once for delays past 2^31 ms, so longer
 * ones run in legs.
 */

const LONGEST_LEG_MS = 2 ** 31 - 1;

/**
 * Calls back once, `ms` from now.
 *
 * @param {number} ms
 * @param {() => void} callback
 * @param {{ hold?: boolean }} [options] hold: false lets the process end meanwhile
 * @returns {() => void} takes the timer back
 */
export function callAfter(ms, callback, { hold = true } = {}) {
  let left = Math.max(0, ms);
  /** @type {NodeJS.Timeout} */
  let timer;
  const leg = () => {
    const part = Math.min(left, LONGEST_LEG_MS);
    left -= part;
    timer = setTimeout(left > 0 ? leg : callback, part);
    if (!hold) timer.unref?.();
  };
  leg();
  return () => clearTimeout(timer);
}

/**
 * @param {number} ms
 * @param {{ hold?: boolean, signal?: AbortSignal }} [options] signal: ends the sleep early
 * @returns {Promise<void>}
 */
export function sleep(ms, { hold = true, signal } = {}) {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const wake = () => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = callAfter(ms, wake, { hold });
    signal?.addEventListener('abort', wake);
  });
}
