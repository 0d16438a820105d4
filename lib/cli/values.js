/** Reading what people write in options: durations, numbers, JSON. */
import { usage } from './exit.js';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * `500ms`, `30s`, `5m`, `2h`, `7d`, `1w`, or a number of milliseconds.
 *
 * @param {string} text
 * @param {string} option
 */
export function durationMs(text, option) {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)?$/.exec(text.trim());
  if (match === null) {
    throw usage(`${option} must be a duration such as 500ms, 30s, 5m, 2h or 7d, got "${text}"`);
  }
  const unit = /** @type {keyof typeof UNITS} */ (match[2] ?? 'ms');
  return Math.round(Number(match[1]) * UNITS[unit]);
}

/**
 * @param {string} text
 * @param {string} option
 * @param {{ least?: number, most?: number }} [bounds]
 */
export function whole(text, option, { least = Number.MIN_SAFE_INTEGER, most } = {}) {
  const value = /^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least && value <= (most ?? value)) return value;
  const bounds = [
    least > Number.MIN_SAFE_INTEGER ? ` >= ${least}` : '',
    most === undefined ? '' : ` and <= ${most}`,
  ];
  throw usage(`${option} must be an integer${bounds.join('')}, got "${text}"`);
}

/**
 * @param {string} text
 * @param {string} what
 */
export function json(text, what) {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw usage(`${what} must be JSON: ${message}`);
  }
}

/**
 * @param {AsyncIterable<Buffer | string>} stream
 */
export async function readAll(stream) {
  const parts = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
