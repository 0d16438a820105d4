/** The index is cut by first letter, so that a query reads one small file. */
export const shards = ['a-f', 'g-l', 'm-r', 's-z', 'other'];

const word = /[\p{L}_][\p{L}\p{N}_]{1,39}/gu;

/**
 * How often each word stands in a text, in lower case.
 * @param {string} text
 * @returns {Map<string, number>}
 */
export function countWords(text) {
  const counts = new Map();
  for (const [match] of text.matchAll(word)) {
    const key = match.toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** @param {string} key a word in lower case */
export function shardOf(key) {
  if (key >= 'a' && key < 'g') return 'a-f';
  if (key >= 'g' && key < 'm') return 'g-l';
  if (key >= 'm' && key < 's') return 'm-r';
  return key >= 's' && key < '{' ? 's-z' : 'other';
}
