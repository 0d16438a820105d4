/** @param {number[]} values at least one */
export function median(values) {
  return percentile(values, 50);
}

/**
 * The value at a rank, interpolated between neighbours.
 * @param {number[]} values at least one
 * @param {number} percent 0 to 100
 */
export function percentile(values, percent) {
  if (values.length === 0) throw new Error('a percentile of nothing');
  const sorted = Float64Array.from(values).sort();
  const rank = ((sorted.length - 1) * percent) / 100;
  const below = Math.floor(rank);
  const above = Math.ceil(rank);
  return sorted[below] + (sorted[above] - sorted[below]) * (rank - below);
}

/** Three significant digits: what a run on a shared machine can tell apart. */
export function rounded(value) {
  return value === 0 ? 0 : Number(value.toPrecision(3));
}
