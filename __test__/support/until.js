import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for an event that can only be looked at: asks until the answer is truthy and gives that answer.
 * @template T
 * @param {() => T | Promise<T>} condition
 * @param {{ timeoutMs?: number, everyMs?: number, what?: string | (() => string) }} [options]
 * @returns {Promise<T>}
 */
export async function until(condition, { timeoutMs = 10_000, everyMs = 5, what } = {}) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (performance.now() > deadline) {
      const text = typeof what === 'function' ? what() : (what ?? condition);
      throw new Error(`not within ${timeoutMs} ms: ${text}; last answer: ${answer}`);
    }
    await delay(everyMs);
  }
}

/**
 * A promise with its handles outside, for handlers that must wait until the test says so.
 * @template T
 */
export function deferred() {
  /** @type {(value?: T) => void} */
  let resolve = () => {};
  /** @type {(reason: unknown) => void} */
  let reject = () => {};
  const promise = new Promise((yes, no) => {
    resolve = /** @type {(value?: T) => void} */ (yes);
    reject = no;
  });
  return { promise, resolve, reject };
}
