import { describe, expect, it } from 'vitest';
import { until } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

const { retryDelayMs } = cairnq;

describe('8.8 retryDelayMs', () => {
  it('8.8 a base of zero or less is no delay', () => {
    expect(retryDelayMs(1, 0, 30_000)).toBe(0);
    expect(retryDelayMs(5, -10, 30_000)).toBe(0);
  });

  it.each([
    [1, 1000, 30_000, 0, 500],
    [1, 1000, 30_000, 0.5, 750],
    [1, 1000, 30_000, 0.999999, 999],
    [2, 1000, 30_000, 0, 1000],
    [3, 1000, 30_000, 0.5, 3000],
    [6, 1000, 30_000, 0, 15_000],
    [50, 1000, 30_000, 0.5, 22_500],
    [2000, 1000, 30_000, 0, 15_000],
    [1, 7, 30_000, 0.5, 5],
    [1, 1000, 10, 0, 5],
  ])('8.8 attempt %i, base %i, max %i, rand %d -> %i', (attempt, base, max, rand, expected) => {
    expect(retryDelayMs(attempt, base, max, () => rand)).toBe(expected);
  });

  it('8.8 is spread at random over the upper half by default', () => {
    const delays = Array.from({ length: 500 }, () => retryDelayMs(1, 1000, 30_000));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1000);
    expect(new Set(delays).size).toBeGreaterThan(100);
  });
});

onEveryBackend('8.8 backoff', (backend) => {
  it('8.8 a failed attempt is due again after its backoff, doubled by each attempt', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const failedWith = async (attempt) => {
      const row = await until(async () => {
        const task = await client.get(id);
        return task.status === 'queued' && task.attempt === attempt && task;
      });
      return row.run_at_ms - row.updated_at_ms;
    };
    stage.run(
      {
        fails: () => {
          throw new Error('again');
        },
      },
      { retryBackoffMs: 400, retryBackoffMaxMs: 600 },
    );
    const { id } = await client.submit('fails', null, { maxAttempts: 4 });
    const windows = [
      [200, 400],
      [300, 600],
      [300, 600],
    ];
    for (const [i, [least, most]] of windows.entries()) {
      const delay = await failedWith(i + 1);
      expect(delay).toBeGreaterThanOrEqual(least);
      expect(delay).toBeLessThanOrEqual(most);
    }
  });

  it('8.8 retryBackoffMs: 0 retries at once', async () => {
    const stage = await setStage(backend);
    stage.run(
      {
        fails: (ctx) => {
          if (ctx.attempt < 10) throw new Error('again');
          return ctx.attempt;
        },
      },
      { retryBackoffMs: 0, pollIntervalMs: 60_000 },
    );
    const from = performance.now();
    expect(await stage.client().call('fails', null, { maxAttempts: 10 })).toBe(10);
    expect(performance.now() - from).toBeLessThan(3000);
  });

  it('8.8 a permanent failure carries no delay', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ fails: (ctx) => ctx.fail('for good', { retryable: false }) });
    const { id } = await client.submit('fails');
    const before = await client.get(id);
    const task = await client.wait(id);
    expect(task).toMatchObject({ status: 'failed', run_at_ms: before.run_at_ms });
  });
});
