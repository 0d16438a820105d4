import { expect, it } from 'vitest';
import { Grants } from '../../lib/grants.js';

it('7.1 a grant is taken in parts, and never beyond what is left', () => {
  const grants = new Grants();
  grants.give('q', 5);
  expect(grants.take('other', 1)).toBe(false);
  expect(grants.take('q', 3)).toBe(true);
  expect(grants.take('q', 3)).toBe(false);
  expect(grants.take('q', 2)).toBe(true);
  expect(grants.size).toBe(0);
});

it('7.1 a later grant takes the place of the earlier one', () => {
  const grants = new Grants();
  grants.give('q', 5);
  grants.give('q', 1);
  expect(grants.take('q', 2)).toBe(false);
  grants.give('q', 0);
  expect(grants.size).toBe(0);
});

it('6 memory does not grow with the number of queues', () => {
  const grants = new Grants();
  for (let n = 0; n < 10_000; n++) grants.give(`q${n}`, 64);
  expect(grants.size).toBe(1024);
  expect(grants.take('q9999', 64)).toBe(true);
});
