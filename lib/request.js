/**
 * How a store's operation reaches the native side.
 *
 * @typedef {import('./native-store.js').Backed} Backed
 */
import { bridge } from './bridge.js';
import { NATIVE } from './native-store.js';
import { sendSubmits } from './submits.js';

/**
 * @param {Backed} store
 * @param {string} op
 * @param {object} args
 * @param {string[]} [texts] JSON texts that travel beside the arguments, never parsed on the way
 * @returns {Promise<any>}
 */
export async function call(store, op, args, texts = []) {
  sendSubmits();
  const native = store[NATIVE]();
  const answer = await bridge().request((id) =>
    native.request(id, op, JSON.stringify(args), texts),
  );
  return answer === '' ? null : JSON.parse(answer);
}
