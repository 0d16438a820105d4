/** How a command ends, for scripts. */

export const OK = 0;
/** Something is wrong, was not found, could not be changed, or was declined. */
export const PROBLEM = 1;
/** The command line makes no sense. */
export const USAGE = 2;
/** The database cannot be opened or reached. */
export const UNREACHABLE = 3;
/** The database refused, or we failed. */
export const FAILED = 4;

export const EXIT_CODES = [
  [OK, 'done, and nothing found amiss'],
  [PROBLEM, 'a problem found, no such task, nothing changed, or a question answered with no'],
  [USAGE, 'the command line makes no sense'],
  [UNREACHABLE, 'the database cannot be opened or reached'],
  [FAILED, 'the database refused, or the command failed'],
];

/** An end with a message for people and a code for scripts. */
export class CliError extends Error {
  /**
   * @param {number} exitCode
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(exitCode, message, options) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** @param {string} message */
export function usage(message) {
  return new CliError(USAGE, message);
}
