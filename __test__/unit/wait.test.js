import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TaskTimeout } from '../../lib/errors.js';
import { waitForKey, waitForTask } from '../../lib/wait.js';

/** A store of tasks in memory that counts reads and lets a test wake the waiters. */
class FakeStore {
  tasks = new Map();
  keys = new Map();
  reads = 0;
  wakes = [];

  add(id, status = 'queued') {
    const task = { id, status, attempt: 0, max_attempts: 3, run_at_ms: 0, name: 'n', queue: 'q' };
    this.tasks.set(id, { ...task, cancel_requested_at_ms: null });
    return this;
  }

  async get(id) {
    this.reads += 1;
    const task = this.tasks.get(id);
    return task === undefined ? null : { ...task };
  }

  async getByKey(key) {
    return await this.get(this.keys.get(key));
  }

  taskDoneWake(id) {
    return new Promise((resolve, reject) => {
      this.wakes.push({ id, resolve, reject });
    });
  }

  end(id, status = 'succeeded') {
    this.tasks.get(id).status = status;
    for (const wake of this.wakes.filter((one) => one.id === id)) wake.resolve(true);
    this.wakes = this.wakes.filter((one) => one.id !== id);
  }
}

const never = { timeoutMs: 60_000, pollMs: 50_000, maxPollMs: 50_000 };
const turn = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('waitForTask', () => {
  it('gives a task that has ended at the first read', async () => {
    const store = new FakeStore().add('t', 'failed');
    expect(await waitForTask(store, 't')).toMatchObject({ status: 'failed' });
    expect(store.reads).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('registers its wake before it reads', async () => {
    const store = new FakeStore().add('t');
    const order = [];
    const { taskDoneWake, get } = store;
    store.taskDoneWake = (id) => order.push('wake') && taskDoneWake.call(store, id);
    store.get = (id) => order.push('read') && get.call(store, id);
    const waiting = waitForTask(store, 't', never);
    await turn();
    expect(order).toEqual(['wake', 'read']);
    store.end('t');
    expect(await waiting).toMatchObject({ status: 'succeeded' });
  });

  it('shares one read per wake among all who wait', async () => {
    const store = new FakeStore().add('t');
    const waits = Array.from({ length: 100 }, () => waitForTask(store, 't', never));
    await turn();
    expect(store.wakes).toHaveLength(1);
    const before = store.reads;
    expect(before).toBeLessThanOrEqual(2);
    store.end('t');
    const tasks = await Promise.all(waits);
    expect(tasks.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(store.reads).toBe(before + 1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a wake without an end is waited on again', async () => {
    const store = new FakeStore().add('t');
    const waiting = waitForTask(store, 't', never);
    await turn();
    store.wakes.shift().resolve(true);
    await turn();
    expect(store.wakes).toHaveLength(1);
    store.end('t');
    await waiting;
  });

  it('polls when no wake comes: 100, then half as much again, up to 500', async () => {
    const store = new FakeStore().add('t');
    store.taskDoneWake = () => Promise.reject(new Error('no wakes here'));
    const waiting = waitForTask(store, 't', { timeoutMs: 10_000 });
    waiting.catch(() => {});
    await turn();
    const at = [];
    for (let elapsed = 0, seen = store.reads; elapsed <= 2200; elapsed += 1) {
      if (store.reads > seen) at.push(elapsed);
      seen = store.reads;
      await vi.advanceTimersByTimeAsync(1);
    }
    const polls = at.filter((time, i) => i === 0 || time - at[i - 1] > 5);
    const gaps = polls.map((time, i) => time - (polls[i - 1] ?? 0));
    expect(gaps).toEqual([100, 150, 225, 337, 500, 500]);
    store.end('t');
    await vi.advanceTimersByTimeAsync(500);
    await waiting;
  });

  it('reads a last time at the deadline', async () => {
    const store = new FakeStore().add('t');
    store.taskDoneWake = () => new Promise(() => {});
    const waiting = waitForTask(store, 't', { timeoutMs: 1000, pollMs: 700, maxPollMs: 700 });
    await vi.advanceTimersByTimeAsync(999);
    store.end('t');
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toMatchObject({ status: 'succeeded' });
  });

  it.each([0, -5])('a timeout of %i is one read and no wake', async (timeoutMs) => {
    const store = new FakeStore().add('t');
    await expect(waitForTask(store, 't', { timeoutMs })).rejects.toThrow(
      `task t did not finish within ${timeoutMs}ms: never claimed by a worker`,
    );
    expect(store.reads).toBe(1);
    expect(store.wakes).toHaveLength(0);
  });

  it('each waiter keeps its own deadline', async () => {
    const store = new FakeStore().add('t');
    const short = waitForTask(store, 't', { ...never, timeoutMs: 100 });
    const long = waitForTask(store, 't', { ...never, timeoutMs: 50_000 });
    const refused = expect(short).rejects.toBeInstanceOf(TaskTimeout);
    await vi.advanceTimersByTimeAsync(100);
    await refused;
    store.end('t');
    expect(await long).toMatchObject({ status: 'succeeded' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('timeouts past 2^31 ms are waited out', async () => {
    const store = new FakeStore().add('t');
    const ended = vi.fn();
    const options = { timeoutMs: 2 ** 31 + 10, pollMs: 2 ** 31, maxPollMs: 2 ** 31 };
    waitForTask(store, 't', options).catch(ended);
    await vi.advanceTimersByTimeAsync(2 ** 31);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('a failing read ends the waits it was made for', async () => {
    const store = new FakeStore().add('t');
    const waits = [waitForTask(store, 't', never), waitForTask(store, 't', never)];
    const refused = waits.map((wait) => expect(wait).rejects.toThrow('down'));
    await turn();
    store.get = () => Promise.reject(new Error('down'));
    store.end('t');
    await Promise.all(refused);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([{ timeoutMs: Number.NaN }, { pollMs: '5' }])('%j is refused', async (options) => {
    await expect(waitForTask(new FakeStore(), 't', options)).rejects.toThrow(/must be a number/);
  });
});

describe('waitForKey', () => {
  it('waits for a key that does not exist yet', async () => {
    const store = new FakeStore();
    const waiting = waitForKey(store, 'k', { timeoutMs: 60_000 });
    await turn();
    store.add('t');
    store.keys.set('k', 't');
    await vi.advanceTimersByTimeAsync(100);
    store.end('t');
    expect(await waiting).toMatchObject({ id: 't' });
  });

  it('follows a replacement', async () => {
    const store = new FakeStore().add('a');
    store.keys.set('k', 'a');
    const waiting = waitForKey(store, 'k', never);
    await turn();
    store.add('b');
    store.keys.set('k', 'b');
    store.end('a', 'canceled');
    await turn();
    expect(store.wakes.map(({ id }) => id)).toEqual(['b']);
    store.end('b');
    expect(await waiting).toMatchObject({ id: 'b', status: 'succeeded' });
  });

  it('names the key, and the task it leads to, when it gives up', async () => {
    const store = new FakeStore().add('a');
    const nothing = await waitForKey(store, 'k', { timeoutMs: 0 }).catch((error) => error);
    expect(nothing).toMatchObject({ taskId: 'k', key: 'k', task: null });
    store.keys.set('k', 'a');
    const queued = await waitForKey(store, 'k', { timeoutMs: 0 }).catch((error) => error);
    expect(queued).toMatchObject({ taskId: 'a', key: 'k', task: { id: 'a' } });
  });
});
