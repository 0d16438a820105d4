/** How counts are bounded, and how they say so. */

/**
 * What each of `parts` may take of a whole.
 *
 * @param {number} whole
 * @param {number} parts
 * @param {number} least
 * @param {number} most
 */
export function share(whole, parts, least, most) {
  return Math.max(least, Math.min(most, Math.floor(whole / Math.max(1, parts))));
}

/**
 * Notes a count, and whether it met its bound.
 *
 * @param {any} entry
 * @param {string} what
 * @param {number} counted
 * @param {number} bound
 */
export function cappedCounts(entry, what, counted, bound) {
  entry[what] = counted;
  if (counted >= bound) entry.capped.push(what);
}
