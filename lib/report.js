/**
 * Makes an `onError` callback safe to call: what it throws, and what a promise it returns rejects
 * with, is swallowed, because there is nobody left to tell.
 *
 * @template {unknown[]} A
 * @param {((...args: A) => unknown) | null | undefined} onError
 * @returns {(...args: A) => void}
 */
export function quietly(onError) {
  if (onError === null || onError === undefined) return () => {};
  return (...args) => {
    try {
      Promise.resolve(onError(...args)).catch(() => {});
    } catch {
      // Swallowed by contract.
    }
  };
}
