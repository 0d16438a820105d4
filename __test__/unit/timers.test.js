import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callAfter, sleep } from '../../lib/timers.js';

const MONTH_MS = 30 * 24 * 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('callAfter', () => {
  it('keeps to delays past 2^31 ms, to the millisecond', () => {
    const called = vi.fn();
    callAfter(3 * MONTH_MS, called);
    vi.advanceTimersByTime(3 * MONTH_MS - 1);
    expect(called).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(called).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('can be taken back in any leg', () => {
    const called = vi.fn();
    const cancel = callAfter(3 * MONTH_MS, called);
    vi.advanceTimersByTime(2 * MONTH_MS);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(2 * MONTH_MS);
    expect(called).not.toHaveBeenCalled();
  });

  it('never fires for an infinite delay', () => {
    const called = vi.fn();
    const cancel = callAfter(Number.POSITIVE_INFINITY, called);
    vi.advanceTimersByTime(12 * MONTH_MS);
    expect(called).not.toHaveBeenCalled();
    cancel();
  });
});

describe('sleep', () => {
  it('ends early when its signal aborts, leaving no timer and no listener', async () => {
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const slept = sleep(1000, { signal: controller.signal });
    controller.abort();
    await slept;
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledOnce();
  });

  it('does not begin on a signal that has aborted', async () => {
    await sleep(1000, { signal: AbortSignal.abort() });
    expect(vi.getTimerCount()).toBe(0);
  });
});
