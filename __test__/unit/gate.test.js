import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { QueueFull } from '../../lib/errors.js';
import { QueueDepthGate } from '../../lib/gate.js';

/** A store whose queues have the headroom a test says, and which counts who asks. */
function depthSource(headroom) {
  const probes = [];
  return {
    probes,
    headroom,
    async queueDepth(queue, maxDepth) {
      probes.push([queue, maxDepth]);
      return this.headroom;
    },
  };
}

const settled = (promise) => {
  const state = { done: false, error: null };
  promise.then(
    () => {
      state.done = true;
    },
    (error) => {
      state.error = error;
    },
  );
  return state;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('limits', () => {
  it('a number bounds every queue, a record its own queues only', () => {
    const store = depthSource(1);
    expect(new QueueDepthGate(store, { maxQueueDepth: 5 }).limitFor('any')).toBe(5);
    const gate = new QueueDepthGate(store, { maxQueueDepth: { a: 3 } });
    expect(gate.limitFor('a')).toBe(3);
    for (const queue of ['b', 'constructor', '__proto__', 'toString']) {
      expect(gate.limitFor(queue)).toBe(null);
    }
    const proto = JSON.parse('{"__proto__": 7}');
    expect(new QueueDepthGate(store, { maxQueueDepth: proto }).limitFor('__proto__')).toBe(7);
  });

  it.each([
    [0, '*', '0'],
    [1.5, '*', '1.5'],
    [{ q: Number.NaN }, 'q', 'NaN'],
    [{ q: '5' }, 'q', '5'],
  ])('%j is refused', (maxQueueDepth, queue, shown) => {
    expect(() => new QueueDepthGate(depthSource(1), { maxQueueDepth })).toThrow(
      `maxQueueDepth for ${queue} must be an integer >= 1, got ${shown}`,
    );
  });
});

describe('acquire', () => {
  it('asks nothing for a queue without a bound', async () => {
    const store = depthSource(0);
    await new QueueDepthGate(store, { maxQueueDepth: { a: 1 } }).acquire('b');
    expect(store.probes).toEqual([]);
  });

  it('one probe lets 64 through, and is shared by all who wait', async () => {
    const store = depthSource(1000);
    const gate = new QueueDepthGate(store, { maxQueueDepth: 1000 });
    await Promise.all(Array.from({ length: 64 }, () => gate.acquire('q')));
    expect(store.probes).toEqual([['q', 1000]]);
    await gate.acquire('q');
    expect(store.probes).toHaveLength(2);
  });

  it('what a probe let through and nobody took lapses after 5 s', async () => {
    const store = depthSource(1000);
    const gate = new QueueDepthGate(store, { maxQueueDepth: 1000 });
    await gate.acquire('q');
    await vi.advanceTimersByTimeAsync(4999);
    await gate.acquire('q');
    expect(store.probes).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    store.headroom = 0;
    const wait = settled(gate.acquire('q'));
    await vi.advanceTimersByTimeAsync(0);
    expect(store.probes).toHaveLength(2);
    expect(wait.done).toBe(false);
  });

  it('forgets the oldest of very many queues, which costs it a probe', async () => {
    const store = depthSource(1000);
    const gate = new QueueDepthGate(store, { maxQueueDepth: 1000 });
    for (let n = 0; n <= 1024; n++) await gate.acquire(`q${n}`);
    await gate.acquire('q1');
    expect(store.probes).toHaveLength(1025);
    await gate.acquire('q0');
    expect(store.probes).toHaveLength(1026);
  });

  it('a probe lets no more through than there is room', async () => {
    const store = depthSource(3);
    const gate = new QueueDepthGate(store, { maxQueueDepth: 10 });
    const waits = Array.from({ length: 5 }, () => settled(gate.acquire('q')));
    store.queueDepth = async () => {
      store.queueDepth = async () => 0;
      return 3;
    };
    await vi.advanceTimersByTimeAsync(0);
    expect(waits.map(({ done }) => done)).toEqual([true, true, true, false, false]);
  });

  it('looks again after the interval, doubling up to 5 s, and gives up at the maximum', async () => {
    const store = depthSource(0);
    const gate = new QueueDepthGate(store, { maxQueueDepth: 2, maxQueueWaitMs: 12_000 });
    const wait = settled(gate.acquire('q'));
    const at = [];
    for (let elapsed = 0; elapsed <= 12_000; elapsed += 250) {
      await vi.advanceTimersByTimeAsync(elapsed === 0 ? 0 : 250);
      if (store.probes.length > at.length) at.push(elapsed);
    }
    expect(at).toEqual([0, 250, 750, 1750, 3750, 7750, 12_000]);
    expect(wait.error).toBeInstanceOf(QueueFull);
    expect(wait.error).toMatchObject({ queue: 'q', maxDepth: 2, waitedMs: 12_000 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('asks for all of a submitMany at once, and never for more than the queue may hold', async () => {
    const store = depthSource(99);
    const gate = new QueueDepthGate(store, { maxQueueDepth: 200 });
    const many = settled(gate.acquire('q', 100));
    await vi.advanceTimersByTimeAsync(0);
    expect(many.done).toBe(false);
    store.headroom = 100;
    await vi.advanceTimersByTimeAsync(250);
    expect(many.done).toBe(true);
    await expect(gate.acquire('q', 201)).rejects.toBeInstanceOf(QueueFull);
  });

  it('a failing probe rejects those who wait, and the next one probes anew', async () => {
    const store = depthSource(5);
    const gate = new QueueDepthGate(store, { maxQueueDepth: 5 });
    const down = new Error('down');
    store.queueDepth = () => {
      throw down;
    };
    const waits = [settled(gate.acquire('q')), settled(gate.acquire('q'))];
    await vi.advanceTimersByTimeAsync(0);
    expect(waits.map(({ error }) => error)).toEqual([down, down]);
    store.queueDepth = async () => 5;
    await gate.acquire('q');
  });

  it('abandon() ends the waits and leaves the gate usable', async () => {
    const store = depthSource(0);
    const gate = new QueueDepthGate(store, { maxQueueDepth: 1 });
    const wait = settled(gate.acquire('q'));
    await vi.advanceTimersByTimeAsync(0);
    await gate.abandon();
    expect(wait.error).toBeInstanceOf(QueueFull);
    store.headroom = 1;
    await gate.acquire('q');
  });
});
