import { expect, it } from 'vitest';
import { deferred, spin, until } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

onEveryBackend('8.7 a blocked event loop', (backend) => {
  it('8.7 leases are renewed while a handler blocks the thread, and the block is reported', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const flags = deferred();
    const started = deferred();
    stage.run(
      {
        blocks: async (ctx) => {
          started.resolve();
          await rival.promise;
          spin(4500);
          flags.resolve(ctx.lostLease);
          return 'once';
        },
      },
      { leaseMs: 1500 },
    );
    const rival = deferred();
    const { id } = await client.submit('blocks');
    await started.promise;
    // Only now can another worker not have been the first to claim it.
    const peer = stage.peer('worker.js', {
      handlers: { blocks: ['echo'] },
      options: { pollIntervalMs: 20 },
    });
    await peer.event('running');
    rival.resolve();
    const task = await client.wait(id);
    expect(task).toMatchObject({ status: 'succeeded', attempt: 1, result: 'once' });
    expect(await flags.promise).toBe(false);
    const report = await until(() =>
      stage.reports.find(({ error }) => error instanceof cairnq.EventLoopBlocked),
    );
    expect(report.info).toEqual({ phase: 'execute', taskId: id });
    expect(report.error).toMatchObject({ intervalMs: 500, leaseMs: 1500 });
    expect(report.error.lateMs).toBeGreaterThan(1000);
    expect(report.error.message).toMatch(
      /^heartbeat beat was \d+ms late \(interval 500ms, lease 1500ms\): the event loop was blocked/,
    );
    expect(stage.reports).toHaveLength(1);
    expect(peer.told('start')).toEqual([]);
  });

  it('8.7 a short block is not worth a report', async () => {
    const stage = await setStage(backend);
    stage.run({ blocks: () => spin(150) }, { leaseMs: 3000 });
    await stage.client().call('blocks');
    await stage.client().call('blocks');
    expect(stage.reports).toEqual([]);
  });

  it('8.3 8.7 tasks held ready are handed back when the thread blocks longer than a beat', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const blocked = stage.peer('worker.js', {
      handlers: { first: ['spinFirst', 3000], held: ['echo'] },
      options: { leaseMs: 900, prefetch: 4 },
    });
    await blocked.event('running');
    await client.submitMany([
      { name: 'first', priority: 9 },
      ...Array.from({ length: 4 }, (_, i) => ({ name: 'held', payload: i })),
    ]);
    const { at: blockedAt } = await blocked.event('start');
    const runs = [];
    stage.run(
      { held: (ctx) => void runs.push([ctx.attempt, Date.now()]) },
      { pollIntervalMs: 20, concurrency: 4 },
    );
    await until(() => runs.length === 4);
    for (const [attempt, at] of runs) {
      expect(attempt).toBe(1);
      expect(at - blockedAt).toBeLessThan(2500);
    }
    await until(async () => (await client.stats()).default.succeeded === 5);
    expect(blocked.told('start')).toHaveLength(1);
    expect(runs).toHaveLength(4);
  });

  it('8.7 a worker whose thread is blocked claims nothing', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    // Its time limit frees the slot of the call that blocks, though nothing can start in it.
    const wedged = stage.peer('worker.js', {
      handlers: { hang: ['hangFirst'], next: ['echo'] },
      options: { leaseMs: 2000, maxRunMs: 700 },
    });
    await wedged.event('running');
    const { id: hung } = await client.submit('hang', null, { maxAttempts: 1 });
    await wedged.event('start');
    expect(await client.wait(hung)).toMatchObject({ error: { code: 'handler_timeout' } });
    const tasks = await client.submitMany(Array.from({ length: 5 }, () => ({ name: 'next' })));
    stage.run({ next: () => 'here' }, { pollIntervalMs: 20 });
    const ended = await Promise.all(tasks.map(({ id }) => client.wait(id, { timeoutMs: 5000 })));
    for (const task of ended) expect(task).toMatchObject({ result: 'here', attempt: 1 });
  });

  it('8.7 after maxBlockedMs renewals stop, and another process takes the task', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const wedged = stage.peer('worker.js', {
      handlers: { wedge: ['hangFirst'] },
      options: { leaseMs: 1500, maxBlockedMs: 2000 },
    });
    await wedged.event('running');
    const { id } = await client.submit('wedge');
    const { at } = await wedged.event('start');
    const rival = deferred();
    stage.run({ wedge: (ctx) => rival.resolve(Date.now()) ?? ctx.attempt }, { pollIntervalMs: 20 });
    expect((await client.wait(id)).result).toBe(2);
    // Not before the limit: until then the lease was held.
    expect((await rival.promise) - at).toBeGreaterThanOrEqual(1950);
  });

  it('8.7 maxBlockedMs: 0 sets no limit', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const blocked = stage.peer('worker.js', {
      handlers: { block: ['spinFirst', 5000] },
      options: { leaseMs: 1500, maxBlockedMs: 0 },
    });
    await blocked.event('running');
    const { id } = await client.submit('block');
    await blocked.event('start');
    stage.run({ block: () => 'stolen' }, { pollIntervalMs: 20 });
    expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 1, result: null });
  });

  it('8.7 the cancel flag can be read from synchronous code while it blocks', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const outcome = deferred();
    const canceler = stage.peer('cancels.js');
    await canceler.event('ready');
    stage.run(
      {
        blocks: (ctx) => {
          canceler.send({ taskId: ctx.taskId });
          const end = performance.now() + 5000;
          while (!ctx.cancelRequested && performance.now() < end);
          outcome.resolve(ctx.cancelRequested);
        },
      },
      { leaseMs: 60_000, heartbeatIntervalMs: 50 },
    );
    const { id } = await client.submit('blocks');
    expect(await outcome.promise).toBe(true);
    expect((await client.wait(id)).status).toBe('canceled');
  });

  it('8.7 ctx.lostLease can be read from synchronous code while it blocks', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const outcome = deferred();
    const thief = stage.peer('steal.js');
    await thief.event('ready');
    stage.run(
      {
        blocks: (ctx) => {
          thief.send({ taskId: ctx.taskId });
          const end = performance.now() + 8000;
          while (!ctx.lostLease && performance.now() < end);
          outcome.resolve(ctx.lostLease);
        },
      },
      { leaseMs: 60_000, heartbeatIntervalMs: 50 },
    );
    await client.submit('blocks');
    expect(await outcome.promise).toBe(true);
  }, 20_000);
});
