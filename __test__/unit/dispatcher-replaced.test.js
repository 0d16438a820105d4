import { describe, expect, it, vi } from 'vitest';
import { TaskStore } from '../../lib/store.js';
import { DONE, dispatching, flushed } from './dispatching.js';

describe('replaced store methods', () => {
  it('get the outcomes, from the moment they are replaced', async () => {
    const store = Object.create(TaskStore.prototype);
    const { native, deliver, reports } = dispatching(
      {
        ok: () => 5,
        bad: () => {
          throw new Error('no');
        },
      },
      { store },
    );
    deliver([1, 'ok', [[10]]]);
    await flushed();
    expect(native.settles[0][0]).toEqual(['complete', 10, '5']);
    store.complete = vi.fn(async () => {});
    const down = new Error('down');
    store.fail = vi.fn(async () => {
      throw down;
    });
    deliver([2, 'ok', [[20]]], [3, 'bad', [[30]]]);
    await flushed();
    const workerId = 'worker_1';
    expect(store.complete).toHaveBeenCalledExactlyOnceWith({
      taskId: 'task_20',
      workerId,
      result: 5,
    });
    expect(store.fail.mock.calls[0][0]).toMatchObject({
      taskId: 'task_30',
      workerId,
      retryable: true,
    });
    expect(store.fail.mock.calls[0][0].delayMs).toBeGreaterThanOrEqual(500);
    expect(native.settles[1]).toEqual([
      ['settled', 20],
      ['lost', 30],
      [DONE, 2],
      [DONE, 3],
    ]);
    expect(reports).toEqual([[down, { phase: 'execute', taskId: 'task_30' }]]);
  });

  it('of the native loop are announced, and their errors reach onError as thrown', async () => {
    const store = Object.create(TaskStore.prototype);
    const { native, dispatcher, reports } = dispatching({ x: () => {} }, { store });
    const down = new Error('down');
    store.claimSession = async () => {
      throw down;
    };
    dispatcher.noteReplaced();
    expect(native.replaced).toHaveBeenCalledExactlyOnceWith(1);
    dispatcher.handle({ e: 'claim', req: 7 });
    await flushed();
    const [req, described] = native.planEnd.mock.calls[0];
    expect(req).toBe(7);
    dispatcher.handle({ e: 'error', phase: 'claim', error: JSON.parse(described) });
    expect(reports[0][0]).toBe(down);
    expect(reports[0][1]).toEqual({ phase: 'claim' });
    delete store.claimSession;
    dispatcher.noteReplaced();
    expect(native.replaced).toHaveBeenLastCalledWith(0);
  });
});
