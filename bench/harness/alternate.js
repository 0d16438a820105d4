import { median } from './statistics.js';

/**
 * Runs contestants in turn, round after round, so that whatever slows the machine down slows all of them; gives
 * each one's median. A contestant answers with a number, or with an object of numbers (a median for each).
 * @param {number} rounds
 * @typedef {() => Promise<number | Record<string, number>>} Measure
 * @param {Record<string, Measure>} contestants
 * @param {(name: string, error: Error) => void} onFailure takes a contestant out, or throws to end it all
 * @returns {Promise<Record<string, any>>} without those taken out
 */
export async function alternate(rounds, contestants, onFailure) {
  const running = new Map(Object.entries(contestants));
  const seen = new Map([...running.keys()].map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measure] of inTurn([...running], round)) {
      try {
        seen.get(name).push(await measure());
      } catch (error) {
        onFailure(name, error);
        running.delete(name);
        seen.delete(name);
      }
    }
  }
  return Object.fromEntries([...seen].map(([name, values]) => [name, middle(values)]));
}

/** Every second round goes backwards: nobody always runs right after the same neighbour. */
function inTurn(entries, round) {
  return round % 2 === 0 ? entries : entries.toReversed();
}

function middle(values) {
  if (typeof values[0] === 'number') return median(values);
  const keys = Object.keys(values[0]);
  return Object.fromEntries(keys.map((key) => [key, median(values.map((value) => value[key]))]));
}
