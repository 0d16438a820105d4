/** How facts are written for people. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text of a task, on one line, that cannot steer the terminal.
 *
 * @param {unknown} text
 */
export function clean(text) {
  return String(text).replace(CONTROL, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * @param {string} text
 * @param {number} width
 */
export function cut(text, width) {
  const characters = [...text];
  return characters.length <= width
    ? text
    : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

const SPANS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/**
 * A span of time by its two largest units.
 *
 * @param {number} ms
 * @returns {string}
 */
export function span(ms) {
  if (ms < 0) return `-${span(-ms)}`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const parts = [];
  let rest = ms;
  for (const [unit, length] of /** @type {[string, number][]} */ (SPANS)) {
    if (parts.length === 0 && rest < length) continue;
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 || parts.length === 0) parts.push(`${count} ${unit}`);
    else break;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

/**
 * @param {number | null | undefined} ms
 * @param {number} nowMs
 */
export function ago(ms, nowMs) {
  return ms === null || ms === undefined ? '-' : span(Math.max(0, nowMs - ms));
}

/**
 * @param {number | null | undefined} ms
 * @param {number} nowMs
 */
export function moment(ms, nowMs) {
  if (ms === null || ms === undefined) return '-';
  const when = Math.abs(ms) > 8.64e15 ? String(ms) : new Date(ms).toISOString();
  const apart = nowMs - ms;
  return `${when} (${apart >= 0 ? `${span(apart)} ago` : `in ${span(-apart)}`})`;
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/**
 * A count, and whether it is a lower bound.
 *
 * @param {number} count
 * @param {boolean} [capped]
 */
export function count(count, capped = false) {
  return `${String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',')}${capped ? '+' : ''}`;
}

/**
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}
