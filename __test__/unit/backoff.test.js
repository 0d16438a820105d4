import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../lib/backoff.js';

const lowest = () => 0;
const highest = () => 1 - Number.EPSILON;

describe('retryDelayMs', () => {
  it.each([
    [1, 1000, 30_000, 500, 999],
    [2, 1000, 30_000, 1000, 1999],
    [5, 1000, 30_000, 8000, 15_999],
    [6, 1000, 30_000, 15_000, 29_999],
    [500, 1000, 30_000, 15_000, 29_999],
    [1, 7, 30_000, 3, 6],
    [3, 0, 30_000, 0, 0],
    [3, -5, 30_000, 0, 0],
  ])('attempt %i of base %i under %i is between %i and %i', (attempt, base, max, low, high) => {
    expect(retryDelayMs(attempt, base, max, lowest)).toBe(low);
    expect(retryDelayMs(attempt, base, max, highest)).toBe(high);
  });

  it('stays a number without a maximum', () => {
    const delay = retryDelayMs(5000, 1000, Number.POSITIVE_INFINITY, highest);
    expect(Number.isSafeInteger(delay)).toBe(true);
  });
});
