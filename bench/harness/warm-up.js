/**
 * V8 interprets a function before it compiles it, so that a process is slower at first: over the half second that a drain
 * lasts this would be most of what a comparison with a compiled loop shows. Who is measured has therefore done the same
 * work before. Rows that say so are of a fresh process.
 */

/**
 * How many jobs of a peer, on the database that is measured afterwards. Ours work on one in memory: actors/warm-up.js.
 *
 * @param {number} measured
 */
export function warmUpJobs(measured) {
  return Math.min(2_000, measured);
}
