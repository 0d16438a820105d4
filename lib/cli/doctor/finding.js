/**
 * What doctor finds. A problem keeps tasks from being done, a warning will or may; a note only informs and does not
 * count in the exit code.
 *
 * @typedef {{
 *   id: string,
 *   severity: 'problem' | 'warning' | 'note',
 *   title: string,
 *   explanation: string,
 *   remedy: string,
 *   facts?: Record<string, unknown>,
 * }} Finding
 * @typedef {import('../../inspect/inspector.js').Inspector} Inspector
 * @typedef {Awaited<ReturnType<Inspector['overview']>>} Overview
 * @typedef {{ overview: Overview, workers: Awaited<ReturnType<Inspector['workers']>> }} Look
 * @typedef {{
 *   backend: 'sqlite' | 'postgres',
 *   level: number,
 *   facts: any,
 *   first: Look,
 *   second: Look,
 *   names: any[],
 *   activity: Awaited<ReturnType<Inspector['activity']>>,
 *   silent: any[],
 *   leaseFailures: any[],
 *   limits: { longMs: number, sinceMs: number },
 * }} Seen
 */

/** @param {Omit<Finding, 'severity'>} finding @returns {Finding} */
export const problem = (finding) => ({ ...finding, severity: 'problem' });

/** @param {Omit<Finding, 'severity'>} finding @returns {Finding} */
export const warning = (finding) => ({ ...finding, severity: 'warning' });

/** @param {Omit<Finding, 'severity'>} finding @returns {Finding} */
export const note = (finding) => ({ ...finding, severity: 'note' });
