/** A stand-in for a model: the same text always gets the same vector, texts that share words get similar ones. */

const DIMENSIONS = 64;

/** @param {string[]} texts */
export async function embedAll(texts) {
  return texts.map(embed);
}

/** The cosine of two vectors of length 1. */
export function similarity(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

function embed(text) {
  const vector = new Array(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().split(/\s+/)) {
    let hash = hashOf(word);
    for (let i = 0; i < DIMENSIONS; i += 1) {
      hash = (Math.imul(hash, 1_664_525) + 1_013_904_223) >>> 0;
      vector[i] += hash / 2 ** 31 - 1;
    }
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** FNV-1a. */
function hashOf(word) {
  let hash = 0x811c9dc5;
  for (const char of word) hash = Math.imul(hash ^ char.codePointAt(0), 0x01000193) >>> 0;
  return hash;
}
