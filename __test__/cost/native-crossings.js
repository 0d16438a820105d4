import { createRequire } from 'node:module';

const native = createRequire(import.meta.url)('../../native.cjs');

const methods = [
  [native.NativeWorker, ['take', 'settle', 'state', 'request']],
  [native.NativeStore, ['request', 'submit', 'submitMany']],
  [native.NativeSubmit, ['add', 'end']],
  [native.NativeBridge, ['drain']],
];

/**
 * Counts calls from JavaScript into the addon while `work` runs. Answers and wake-ups come the other way, but each is
 * taken by a drain(), so they are counted too.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<{ crossings: number, by: Record<string, number>, value: T }>}
 */
export async function countCrossings(work) {
  const by = {};
  const restore = [];
  for (const [{ name, prototype }, names] of methods) {
    for (const method of names) {
      const original = prototype[method];
      const label = `${name}.${method}`;
      by[label] = 0;
      prototype[method] = function counted(...args) {
        by[label] += 1;
        return original.apply(this, args);
      };
      restore.push(() => {
        prototype[method] = original;
      });
    }
  }
  try {
    const value = await work();
    const crossings = Object.values(by).reduce((sum, count) => sum + count, 0);
    return { crossings, by, value };
  } finally {
    for (const undo of restore) undo();
  }
}
