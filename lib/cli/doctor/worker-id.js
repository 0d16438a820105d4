/** When a worker was made: its id begins with the time, 48 bits in Crockford's base 32. */

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * @param {string} workerId
 * @returns {number | null} null for an id of another form
 */
export function bornAtMs(workerId) {
  const match = /^worker_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/.exec(workerId);
  if (match === null) return null;
  return [...match[1]].reduce((ms, digit) => ms * 32 + CROCKFORD.indexOf(digit), 0);
}
