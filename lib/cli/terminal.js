/**
 * Where a command writes and asks. Colour goes to terminals only, and never where NO_COLOR is set.
 */
import { createInterface } from 'node:readline/promises';
import { CliError, PROBLEM } from './exit.js';

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 };

/** @typedef {keyof typeof CODES} Colour */

/** Statuses, as they are told apart at a glance. */
export const STATUS_COLOURS = /** @type {Record<string, Colour>} */ ({
  queued: 'blue',
  running: 'cyan',
  succeeded: 'green',
  failed: 'red',
  canceled: 'yellow',
});

/**
 * @param {boolean} on
 * @returns {(colour: Colour | undefined, text: string) => string}
 */
export function painter(on) {
  return (colour, text) =>
    on && colour !== undefined && text !== '' ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

export class Terminal {
  /**
   * @param {Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>} streams
   * @param {{ json?: boolean, colour?: boolean }} [options]
   */
  constructor({ stdin, stdout, stderr, env }, { json = false, colour } = {}) {
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.json = json;
    // https://no-color.org: set and not empty
    const allowed = !env.NO_COLOR && env.TERM !== 'dumb';
    this.coloured = colour ?? (Boolean(stdout.isTTY) && allowed);
    this.paint = painter(this.coloured);
  }

  get width() {
    return this.stdout.isTTY ? this.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  }

  /** @param {string} [text] */
  line(text = '') {
    this.stdout.write(`${text}\n`);
  }

  /** @param {string} text */
  note(text) {
    this.stderr.write(`${text}\n`);
  }

  /**
   * The one JSON document of a command, or its text.
   *
   * @param {unknown} value
   * @param {() => void} write
   */
  answer(value, write) {
    if (this.json) this.line(JSON.stringify(value, null, 2));
    else write();
  }

  /**
   * Goes on only with `--yes` or a yes on a terminal.
   *
   * @param {string} question
   * @param {boolean} yes
   */
  async confirm(question, yes) {
    if (yes) return;
    if (!this.stdin.isTTY || !this.stderr.isTTY) {
      throw new CliError(PROBLEM, `${question} Nothing was done: add --yes to say so.`);
    }
    const prompt = createInterface({ input: this.stdin, output: this.stderr });
    try {
      const answer = await prompt.question(`${question} [y/N] `);
      if (!/^y(es)?$/i.test(answer.trim())) throw new CliError(PROBLEM, 'Nothing was done.');
    } finally {
      prompt.close();
    }
  }
}
