import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RetentionSweeper } from '../../lib/retention.js';

/** A store from which purge takes the counts a test lists, in order, and then nothing. */
function purgeTarget(...counts) {
  const inputs = [];
  return {
    inputs,
    async purge(input) {
      inputs.push(input);
      return Array.from({ length: counts.shift() ?? 0 }, (_, i) => `task_${i}`);
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('options', () => {
  it.each([
    [{ olderThanMs: -1 }, 'retention.olderThanMs must be >= 0, got -1'],
    [{ olderThanMs: Number.NaN }, 'retention.olderThanMs must be >= 0, got NaN'],
    [{}, 'retention.olderThanMs must be >= 0, got undefined'],
    [{ olderThanMs: { failed: -5 } }, 'retention.olderThanMs must be >= 0, got -5'],
    [{ olderThanMs: 1, intervalMs: 0 }, 'retention.intervalMs must be >= 1, got 0'],
    [{ olderThanMs: 1, limit: 0 }, 'retention.limit must be an integer >= 1, got 0'],
  ])('%j is refused', (options, message) => {
    expect(() => new RetentionSweeper(purgeTarget(), options)).toThrow(message);
  });

  it('only terminal statuses have an age', () => {
    expect(() => new RetentionSweeper(purgeTarget(), { olderThanMs: { queued: 1 } })).toThrow(
      /queued is not one of succeeded, failed, canceled/,
    );
  });
});

describe('sweep', () => {
  it('purges until fewer than the limit go, and counts', async () => {
    const store = purgeTarget(10, 10, 3);
    const sweeper = new RetentionSweeper(store, { olderThanMs: 500, limit: 10 });
    expect(await sweeper.sweep()).toBe(23);
    expect(store.inputs).toEqual(Array(3).fill({ olderThanMs: 500, limit: 10 }));
  });

  it('keeps an age for each status, and those without one', async () => {
    const store = purgeTarget();
    const olderThanMs = { succeeded: 1, canceled: null, failed: 9 };
    await new RetentionSweeper(store, { olderThanMs }).sweep();
    expect(store.inputs).toEqual([
      { olderThanMs: 1, status: 'succeeded', limit: 1000 },
      { olderThanMs: 9, status: 'failed', limit: 1000 },
    ]);
  });

  it('rejects with what purge rejected with', async () => {
    const sweeper = new RetentionSweeper(
      { purge: () => Promise.reject(new Error('down')) },
      { olderThanMs: 1 },
    );
    await expect(sweeper.sweep()).rejects.toThrow('down');
  });
});

describe('the schedule', () => {
  it('sleeps first, then sweeps every interval, once however often it is started', async () => {
    const store = purgeTarget();
    const sweeper = new RetentionSweeper(store, { olderThanMs: 1, intervalMs: 1000 });
    sweeper.start();
    sweeper.start();
    await vi.advanceTimersByTimeAsync(999);
    expect(store.inputs).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(store.inputs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(store.inputs).toHaveLength(3);
    await sweeper.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps to intervals past 2^31 ms', async () => {
    const store = purgeTarget();
    const sweeper = new RetentionSweeper(store, { olderThanMs: 1, intervalMs: 2 ** 31 + 1000 });
    sweeper.start();
    await vi.advanceTimersByTimeAsync(2 ** 31);
    expect(store.inputs).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.inputs).toHaveLength(1);
    await sweeper.stop();
  });

  it('goes on after an error, whatever onError does', async () => {
    const store = purgeTarget();
    const purge = store.purge;
    store.purge = () => Promise.reject(new Error('down'));
    const onError = vi.fn(async () => {
      throw new Error('worse');
    });
    const sweeper = new RetentionSweeper(store, { olderThanMs: 1, intervalMs: 10, onError });
    sweeper.start();
    await vi.advanceTimersByTimeAsync(20);
    expect(onError).toHaveBeenCalledTimes(2);
    store.purge = purge;
    await vi.advanceTimersByTimeAsync(10);
    expect(store.inputs).toHaveLength(1);
    await sweeper.stop();
  });

  it('stop() waits for the sweep in flight, which takes no further batch', async () => {
    let release;
    const inputs = [];
    const store = {
      purge(input) {
        inputs.push(input);
        return new Promise((resolve) => {
          release = () => resolve(['a', 'b']);
        });
      },
    };
    const sweeper = new RetentionSweeper(store, { olderThanMs: 1, intervalMs: 10, limit: 2 });
    sweeper.start();
    await vi.advanceTimersByTimeAsync(10);
    const stopped = vi.fn();
    const stopping = sweeper.stop().then(stopped);
    await vi.advanceTimersByTimeAsync(0);
    expect(stopped).not.toHaveBeenCalled();
    release();
    await stopping;
    expect(inputs).toHaveLength(1);
  });

  it('stop() after a manual sweep returns at once, and the schedule can start again', async () => {
    const store = purgeTarget();
    const sweeper = new RetentionSweeper(store, { olderThanMs: 1 });
    await sweeper.sweep();
    sweeper.start();
    await sweeper.stop();
    sweeper.start();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(store.inputs).toHaveLength(2);
    await sweeper.stop();
  });
});
