import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LostLease } from '../../lib/errors.js';
import { DONE, delivery, dispatching, flushed } from './dispatching.js';

describe('outcomes', () => {
  it('of one turn go down in one crossing, each call done after its tasks', async () => {
    const { native, deliver } = dispatching({
      sync: (_ctx, { n }) => n,
      quick: async (_ctx, { n }) => n,
      nothing: () => {},
    });
    deliver([1, 'sync', [[10, { n: 1 }]]], [2, 'quick', [[20, { n: 2 }]]], [3, 'nothing', [[30]]]);
    await flushed();
    expect(native.settles).toEqual([
      [
        ['complete', 10, '1'],
        [DONE, 1],
        ['complete', 30, ''],
        [DONE, 3],
        ['complete', 20, '2'],
        [DONE, 2],
      ],
    ]);
  });

  it('bring the next calls in the same crossing, also when they were announced meanwhile', async () => {
    const { native, dispatcher, deliver } = dispatching({ next: () => {} });
    const take = vi.spyOn(native, 'take');
    deliver([1, 'next', [[10]]]);
    native.ready.push(delivery([2, 'next', [[20]]]));
    dispatcher.handle({ e: 'ready' });
    await flushed();
    expect(native.settles.map((outcomes) => outcomes.at(-1))).toEqual([
      [DONE, 1],
      [DONE, 2],
    ]);
    // One for the announcement that met no flush, one within each settle.
    expect(take).toHaveBeenCalledTimes(3);
  });

  it.each([
    { callMs: 0, turns: 1, why: 'they follow each other' },
    { callMs: 1, turns: 5, why: 'timers and sockets have a turn between any two' },
  ])('of calls of $callMs ms one after the other take $turns turns: $why', async (one) => {
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => vi.restoreAllMocks());
    const begun = [];
    const { native, dispatcher } = dispatching({
      next: async () => {
        begun.push(begun.length);
        now += one.callMs;
      },
    });
    for (let id = 1; id <= 5; id += 1) native.ready.push(delivery([id, 'next', [[id * 10]]]));
    dispatcher.handle({ e: 'ready' });
    let turns = 0;
    for (; begun.length < 5 && turns < 100; turns += 1) await turn();
    await flushed();
    expect(turns).toBe(one.turns);
    expect(native.settles.map((outcomes) => outcomes.at(-1))).toEqual(
      [1, 2, 3, 4, 5].map((id) => [DONE, id]),
    );
  });

  it('of what ran out of its time behind a handler that blocks are losses, and it is not begun', async () => {
    const begun = [];
    const begins = (_ctx, { n }) => {
      begun.push(n);
    };
    const { native, deliver } = dispatching({
      blocks: () => {
        const from = performance.now();
        while (performance.now() - from < 15);
      },
      begins,
      batch: [{ batch: 2 }, (contexts) => begun.push(...contexts.map(({ payload }) => payload.n))],
    });
    native.gone = new Set([20, 40, 60, 61]);
    deliver(
      [1, 'blocks', [[10]]],
      [2, 'begins', [[20, { n: 2 }]]],
      [3, 'begins', [[30, { n: 3 }]]],
      [
        4,
        'batch',
        [
          [40, { n: 4 }],
          [41, { n: 41 }],
        ],
      ],
      [
        6,
        'batch',
        [
          [60, { n: 6 }],
          [61, { n: 61 }],
        ],
      ],
    );
    await flushed();
    expect(begun).toEqual([3, 41]);
    expect(native.settles.flat()).toEqual([
      ['complete', 10, ''],
      [DONE, 1],
      ['lost', 20],
      [DONE, 2],
      ['complete', 30, ''],
      [DONE, 3],
      ['lost', 40],
      ['complete', 41, ''],
      [DONE, 4],
      ['lost', 60],
      ['lost', 61],
      [DONE, 6],
    ]);
  });

  it('of a throw say whether to retry; of a bad result that it is final', async () => {
    const { native, deliver } = dispatching({
      throws: () => {
        throw new Error('no');
      },
      rejects: async () => {
        throw Object.assign(new Error('no'), {
          name: 'TaskError',
          envelope: () => ({ type: 'T', code: 'c', message: 'no', retryable: false }),
        });
      },
      bad: () => ({ n: 1n }),
    });
    deliver([1, 'throws', [[10]]], [2, 'rejects', [[20]]], [3, 'bad', [[30]]]);
    await flushed();
    const [outcomes] = native.settles;
    expect(outcomes.map(([kind, ref]) => [kind, ref])).toEqual([
      ['fail retryable', 10],
      [DONE, 1],
      ['fail final', 30],
      [DONE, 3],
      ['fail final', 20],
      [DONE, 2],
    ]);
    expect(JSON.parse(outcomes[2][2])).toMatchObject({ code: 'unserializable_result' });
  });

  it('of a name nobody registered fail for good', async () => {
    const { native, deliver } = dispatching({});
    deliver([1, 'constructor', [[10]]]);
    await flushed();
    const [[kind, , line]] = native.settles[0];
    expect(kind).toBe('fail final');
    expect(JSON.parse(line)).toMatchObject({
      type: 'NoHandler',
      message: 'no handler registered for constructor',
    });
  });
});

describe('batches', () => {
  it('take results by own property, null for the missing', async () => {
    const { native, deliver } = dispatching({
      b: [{ batch: 3 }, () => ({ task_10: 'a', task_12: undefined, other: 1 })],
    });
    deliver([1, 'b', [[10], [11], [12]]]);
    await flushed();
    expect(native.settles).toEqual([
      [
        ['complete', 10, '"a"'],
        ['complete', 11, ''],
        ['complete', 12, ''],
        [DONE, 1],
      ],
    ]);
  });

  it('a lost lease of one task records nothing for it and fails the others', async () => {
    const { native, deliver } = dispatching({
      b: [
        { batch: 2 },
        async () => {
          throw new LostLease('task_11');
        },
      ],
    });
    deliver([1, 'b', [[10], [11]]]);
    await flushed();
    expect(native.settles[0].map(([kind, ref]) => [kind, ref])).toEqual([
      ['fail retryable', 10],
      ['lost', 11],
      [DONE, 1],
    ]);
  });

  it('run one by one when a plain handler took the name over after the claim', async () => {
    const { native, deliver, register } = dispatching({ b: [{ batch: 2 }, () => {}] });
    register('b', async (ctx) => ctx.taskId);
    deliver([1, 'b', [[10], [11]]]);
    await flushed();
    expect(native.settles).toEqual([
      [
        ['complete', 10, '"task_10"'],
        ['complete', 11, '"task_11"'],
        [DONE, 1],
      ],
    ]);
  });
});

describe('a context', () => {
  it('is lost by event: its signal aborts, its writes reject, its outcome is not recorded', async () => {
    let context;
    let finish;
    const { native, dispatcher, deliver } = dispatching({
      held: (ctx) => {
        context = ctx;
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    });
    deliver([1, 'held', [[10]]]);
    const { signal } = context;
    dispatcher.handle({ e: 'lost', handles: [10] });
    expect(signal.reason).toBeInstanceOf(LostLease);
    expect(context.lostLease).toBe(true);
    await expect(context.progress(0.5)).rejects.toBeInstanceOf(LostLease);
    await expect(context.submit('child')).rejects.toBeInstanceOf(LostLease);
    finish('late');
    await flushed();
    expect(native.settles).toEqual([
      [
        ['lost', 10],
        [DONE, 1],
      ],
    ]);
  });

  it('knows after its handler whether it was settled or lost', async () => {
    const contexts = [];
    const { native, dispatcher, deliver } = dispatching({ keep: (ctx) => void contexts.push(ctx) });
    deliver([1, 'keep', [[10]]], [2, 'keep', [[20]]]);
    await flushed();
    expect(contexts.map(({ settled }) => settled)).toEqual([false, false]);
    native.flags.set(10, 8).set(20, 8);
    dispatcher.handle({ e: 'lost', handles: [20] });
    expect(contexts.map(({ settled }) => settled)).toEqual([true, false]);
    expect(contexts.map(({ lostLease }) => lostLease)).toEqual([false, true]);
  });

  it('reads payload and metadata once, when asked', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const seen = [];
    const { deliver } = dispatching({
      b: [
        { batch: 1 },
        ([ctx]) => void seen.push(parse.mock.calls.length, ctx.payload, ctx.payload),
      ],
    });
    deliver([1, 'b', [[10, { a: 1 }]]]);
    const [before, first, second] = seen;
    expect(first).toEqual({ a: 1 });
    expect(second).toBe(first);
    expect(parse.mock.calls.length).toBe(before + 1);
    parse.mockRestore();
    await flushed();
  });
});

describe('async context', () => {
  it('of handlers is that of run(), whatever another handler did with its own', async () => {
    const storage = new AsyncLocalStorage();
    const seen = [];
    const { native, deliver } = storage.run('run', () =>
      dispatching({
        first: () => storage.run('request', async () => void seen.push(storage.getStore())),
        second: () => void seen.push(storage.getStore()),
      }),
    );
    native.ready.push(delivery([1, 'first', [[10]]]), delivery([2, 'second', [[20]]]));
    deliver([3, 'second', [[30]]]);
    await flushed();
    await flushed();
    expect(seen.toSorted()).toEqual(['request', 'run', 'run']);
  });
});
