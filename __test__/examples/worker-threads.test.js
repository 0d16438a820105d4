import { describe, expect, it } from 'vitest';
import { databaseFile, runExample } from './example.js';

describe('examples/worker-threads [sqlite]', () => {
  it('computes on threads, cancels what blocks one, and keeps the main thread turning', async () => {
    const env = { DATABASE: databaseFile() };
    const lines = await runExample('worker-threads/main.js', { args: [2], env });
    expect(lines.slice(0, 5)).toEqual([
      '17984 primes below 200000',
      '33860 primes below 400000',
      '49098 primes below 600000',
      '63951 primes below 800000',
      'the endless count: canceled',
    ]);
    expect(Number(/turned (\d+) times/.exec(lines[5])[1])).toBeGreaterThan(0);
  });
});
