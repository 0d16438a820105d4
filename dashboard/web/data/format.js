/**
 * Numbers and times as people read them.
 */
const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' });
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** @param {number} n @param {boolean} [atLeast] whether counting stopped there */
export const count = (n, atLeast = false) => whole.format(n) + (atLeast ? '+' : '');
export const percent = (n) => share.format(n);
export const time = (ms) => clock.format(ms);
export const dateTime = (ms) => date.format(ms);

/** Events per second or minute, whichever makes them readable. */
export function rate(perSecond) {
  return perSecond === 0 || perSecond >= 0.5 ? perSecondText(perSecond) : perMinuteText(perSecond);
}

/** The same for values that are to be compared: one unit for all of them. @param {number} most */
export const rateUpTo = (most) => (most === 0 || most >= 0.5 ? perSecondText : perMinuteText);

const perSecondText = (n) => `${short.format(n)}/s`;
const perMinuteText = (n) => `${short.format(n * 60)}/min`;

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A stretch of time in one unit. @param {number} ms */
export function minutes(ms) {
  if (ms < 90_000) return `${Math.round(ms / 1000)} s`;
  return ms < 5_400_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

/** Whole seconds, so that a count does not flicker. @param {number} ms */
export function countdown(ms) {
  return ms < 60_000 ? `${Math.max(0, Math.ceil(ms / 1000))} s` : duration(ms);
}

/** @param {number} ms how long ago; negative is to come */
export function ago(ms) {
  if (Math.abs(ms) < 1000) return 'now';
  const text = duration(Math.floor(Math.abs(ms) / 1000) * 1000).replace('.0 s', ' s');
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

/** The end of an id, by which people tell tasks apart; the beginning is the time. @param {string} id */
export const shortId = (id) => (id.length > 12 ? `…${id.slice(-8)}` : id);

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

const two = (n) => String(n).padStart(2, '0');
