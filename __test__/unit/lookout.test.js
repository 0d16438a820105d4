import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Lookout } from '../../lib/lookout.js';

/** A lookout that notes its looks, and whether each promises another. */
function noted(cores = 2) {
  /** @type {boolean[]} */
  const looks = [];
  return { looks, lookout: new Lookout((again) => looks.push(again), cores) };
}

/** So many answers that come at once. */
function quickAnswers(lookout, count) {
  for (let i = 0; i < count; i += 1) {
    lookout.asked();
    lookout.answered();
  }
}

async function settled(looks) {
  for (let turns = 0; turns < 100_000 && looks.at(-1) !== false; turns += 1) await setImmediate();
  expect(looks.at(-1)).toBe(false);
}

it('looks for nothing before answers have been quick', async () => {
  const { looks, lookout } = noted();
  lookout.asked();
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  expect(looks).toEqual([]);
});

it('looks until the answer has come, and ends with a look that promises no other', async () => {
  const { looks, lookout } = noted();
  quickAnswers(lookout, 20);
  await setImmediate();
  looks.length = 0;
  lookout.asked();
  await setImmediate();
  expect(looks[0]).toBe(true);
  lookout.answered();
  await settled(looks);
  expect(looks.filter((again) => !again)).toHaveLength(1);
});

it('gives up on an answer that does not come, and after some of them altogether', async () => {
  const { looks, lookout } = noted();
  quickAnswers(lookout, 20);
  for (let asked = 0; asked < 10; asked += 1) {
    lookout.asked();
    if (looks.length > 0) await settled(looks);
    // Long after every look has ended.
    const until = performance.now() + 1;
    while (performance.now() < until);
    await setImmediate();
    lookout.answered();
  }
  looks.length = 0;
  lookout.asked();
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  expect(looks).toEqual([]);
});

it('looks for nothing where there is one core', async () => {
  const { looks, lookout } = noted(1);
  quickAnswers(lookout, 20);
  lookout.asked();
  await setImmediate();
  expect(looks).toEqual([]);
});
