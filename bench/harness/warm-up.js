/**
 * V8 interprets a function before it compiles it, so that a process is slower at first: over the half second that a drain
 * lasts this would be most of what a comparison with a compiled loop shows. Who is measured has therefore done the same
 * work before. Rows that say so are of a fresh process.
 */

/**
 * What ours do on databases in memory (actors/warm-up.js), each with a worker or client of its own: what V8 compiles while it
 * has seen one is thrown away with the second. Peers warm up with the very one that is measured.
 */
export const OURS = { times: 4, tasks: 5_000 };

/**
 * How many jobs of a peer, on the database that is measured afterwards.
 *
 * @param {number} measured
 */
export function warmUpJobs(measured) {
  return Math.min(2_000, measured);
}
