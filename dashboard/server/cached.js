/**
 * Answers that many viewers share: one query at a time, and none while the last answer is young enough.
 */

/** Answers kept per question, for the arguments asked last. */
const KEPT = 64;

/**
 * @template T
 * @param {(key: string) => Promise<T>} read
 * @param {number} ageMs
 * @returns {(key?: string) => Promise<T>}
 */
export function cached(read, ageMs) {
  /** @type {Map<string, { atMs: number, value: Promise<T> }>} */
  const answers = new Map();
  return (key = '') => {
    const known = answers.get(key);
    if (known && performance.now() - known.atMs < ageMs) return known.value;
    const entry = { atMs: Number.POSITIVE_INFINITY, value: read(key) };
    answers.delete(key);
    answers.set(key, entry);
    for (const oldest of answers.keys()) {
      if (answers.size <= KEPT) break;
      answers.delete(oldest);
    }
    entry.value.then(
      () => {
        entry.atMs = performance.now();
      },
      () => {
        if (answers.get(key) === entry) answers.delete(key);
      },
    );
    return entry.value;
  };
}
