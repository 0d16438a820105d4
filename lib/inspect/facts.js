/**
 * What the database says of itself, for whoever looks for what is wrong with it. A question that it cannot
 * answer gives the reason in place of rows, because each fact may be what is wrong.
 *
 * @typedef {import('../store.js').TaskStore} TaskStore
 */
import { ask } from './ask.js';

/** Transactions younger than this hold nothing back. */
const LONG_TRANSACTION_MS = 60_000;

/**
 * @param {TaskStore} store
 * @param {'sqlite' | 'postgres'} backend
 * @param {{ longTransactionMs?: number }} [options]
 * @returns {Promise<any>}
 */
export async function facts(store, backend, { longTransactionMs = LONG_TRANSACTION_MS } = {}) {
  const asked = ['meta', 'ledger', 'indexes', 'statistics', 'storage'];
  /** @type {Record<string, any>} */
  const found = { backend };
  const before = Date.now();
  for (const fact of asked) found[fact] = await rowsOrReason(store, fact);
  if (backend === 'postgres') {
    found.trigger = await rowsOrReason(store, 'trigger');
    found.sessions = await rowsOrReason(store, 'sessions', [longTransactionMs, 20]);
  }
  const clock = await clockDifference(store);
  return { ...found, ...clock, tookMs: Date.now() - before };
}

/**
 * @param {TaskStore} store
 * @param {string} fact
 * @param {(string | number)[]} [values]
 */
async function rowsOrReason(store, fact, values = []) {
  try {
    return { rows: (await ask(store, fact, values)).rows, reason: null };
  } catch (error) {
    return { rows: [], reason: /** @type {Error} */ (error).message };
  }
}

/**
 * How far the database's clock is ahead of this host's, and how much of that may be the way there and back.
 *
 * @param {TaskStore} store
 */
async function clockDifference(store) {
  let best = { aheadMs: 0, uncertaintyMs: Number.POSITIVE_INFINITY };
  for (let look = 0; look < 3; look++) {
    const sent = Date.now();
    const { now_ms } = await ask(store, 'meta');
    const uncertaintyMs = Math.ceil((Date.now() - sent) / 2);
    if (uncertaintyMs < best.uncertaintyMs) {
      best = { aheadMs: now_ms - sent - uncertaintyMs, uncertaintyMs };
    }
  }
  return { clock: best };
}
