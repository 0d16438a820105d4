/** Ways to wait for what happens instead of sleeping. */
export { deferred, until } from '../support/until.js';

/** The promise's own outcome, or an error once `ms` have passed. */
export async function within(ms, promise, what = 'the promise') {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not settle within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** For the few tests whose subject is that time passes. */
export function pass(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Blocks this thread, timers and promises included. */
export function spin(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** The rejection of a promise that must not resolve. */
export async function rejection(promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`resolved with ${JSON.stringify(value)} where a rejection was due`);
}

/** What a function threw. */
export function thrown(fn) {
  let value;
  try {
    value = fn();
  } catch (error) {
    return error;
  }
  throw new Error(`returned ${String(value)} where a throw was due`);
}

/** Runs `work` and gives the longest time a 10 ms interval was held up meanwhile. */
export async function worstGap(work) {
  let worst = 0;
  let last = performance.now();
  const tick = () => {
    const now = performance.now();
    worst = Math.max(worst, now - last);
    last = now;
  };
  const timer = setInterval(tick, 10);
  try {
    await work();
  } finally {
    tick();
    clearInterval(timer);
  }
  return worst;
}
