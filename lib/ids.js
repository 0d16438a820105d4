import { getRandomValues } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * A sortable id of the protocol's form: 48 bits of milliseconds, then 80 random ones, as 26
 * characters of Crockford base32.
 *
 * @param {string} prefix
 */
export function newId(prefix) {
  const random = getRandomValues(new Uint8Array(10));
  return prefix + encoded(Date.now(), random);
}

/**
 * The least id that can have been made at a time or later.
 *
 * @param {string} prefix
 * @param {number} ms
 */
export function idAt(prefix, ms) {
  return prefix + encoded(Math.max(0, Math.floor(ms)), new Uint8Array(10));
}

/**
 * @param {number} ms
 * @param {Uint8Array} random
 */
function encoded(ms, random) {
  let bits = BigInt(ms);
  for (const byte of random) bits = (bits << 8n) | BigInt(byte);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = CROCKFORD[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
}
