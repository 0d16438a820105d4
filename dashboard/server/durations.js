/**
 * Durations counted in classes that grow by a tenth, so that percentiles of any number of them, over any stretch of time,
 * come from some hundred small numbers and are off by 5 % at most.
 */
const GROWTH = Math.log(1.1);

/** @typedef {Map<number, number>} Durations class -> how many */

/**
 * @param {Durations} durations
 * @param {number} ms
 */
export function addDuration(durations, ms) {
  const index = Math.round(Math.log(Math.max(ms, 1)) / GROWTH);
  durations.set(index, (durations.get(index) ?? 0) + 1);
}

/**
 * @param {Durations} into
 * @param {Durations} from
 */
export function mergeDurations(into, from) {
  for (const [index, count] of from) into.set(index, (into.get(index) ?? 0) + count);
}

/**
 * @param {Durations} durations
 * @param {number[]} shares between 0 and 1
 * @returns {(number | null)[]} milliseconds; null where nothing was counted
 */
export function percentiles(durations, shares) {
  const classes = [...durations].sort(([a], [b]) => a - b);
  const total = classes.reduce((sum, [, count]) => sum + count, 0);
  return shares.map((share) => {
    let left = Math.ceil(share * total);
    for (const [index, count] of classes) {
      left -= count;
      if (left <= 0) return Math.round(Math.exp(index * GROWTH));
    }
    return null;
  });
}
