import { expect, it } from 'vitest';
import { deferred } from '../spec/events.js';
import { onEveryBackend, register, setStage } from '../spec/stage.js';
import { until } from '../support/until.js';

onEveryBackend('worker.stats()', (backend) => {
  it('a worker that never ran has registered names and zeros', async () => {
    const stage = await setStage(backend);
    const worker = stage.worker({ resources: { gpu: 2 } });
    register(worker, { one: () => null, __proto__: null });
    const stats = worker.stats();
    expect(stats).toMatchObject({
      workerId: worker.id,
      slots: 0,
      runningCalls: 0,
      bytes: 0,
      inFlight: { ready: 0, running: 0, settling: 0 },
      resources: { gpu: { capacity: 2, inUse: 0 } },
      names: { one: { claimed: 0, inFlight: { ready: 0, running: 0, settling: 0 } } },
    });
    for (const histogram of [stats.claims, stats.runs, stats.settlements]) {
      expect(histogram).toMatchObject({ count: 0, sumMs: 0 });
      expect(histogram.counts).toHaveLength(histogram.boundsMs.length + 1);
      expect([histogram.boundsMs[0], histogram.boundsMs.at(-1)]).toEqual([0.125, 65_536]);
    }
  });

  it('counts what is in flight, by name and by resource', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const gate = deferred();
    const worker = stage.run(
      { render: [{ resource: 'gpu' }, () => gate.promise], plain: () => gate.promise },
      { concurrency: 3, resources: { gpu: 1 } },
    );
    const tasks = [
      await client.submit('render', { size: 'x'.repeat(50) }),
      await client.submit('render', {}),
      await client.submit('plain', {}),
    ];
    await until(() => worker.stats().runningCalls === 2);
    const stats = worker.stats();
    expect(stats.slots).toBe(3);
    expect(stats.resources.gpu).toEqual({ capacity: 1, inUse: 1 });
    expect(stats.names.render.inFlight).toEqual({ ready: 0, running: 1, settling: 0 });
    expect(stats.names.plain.inFlight.running).toBe(1);
    expect(stats.inFlight.running).toBe(2);
    expect(stats.bytes).toBeGreaterThanOrEqual(JSON.stringify({ size: 'x'.repeat(50) }).length);
    gate.resolve('done');
    for (const { id } of tasks) await client.wait(id);
    await until(() => worker.stats().totals.succeeded === 3);
    expect(worker.stats()).toMatchObject({
      bytes: 0,
      inFlight: { ready: 0, running: 0, settling: 0 },
      resources: { gpu: { inUse: 0 } },
      totals: { claimed: 3, started: 3 },
    });
  });

  it('counts every outcome by what the database made of it', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const canceled = deferred();
    const worker = stage.run(
      {
        good: () => 'fine',
        bad: () => {
          throw new Error('no');
        },
        own: (ctx) => ctx.succeed('mine'),
        stopped: async (ctx) => {
          await client.cancel(ctx.taskId);
          canceled.resolve();
          return 'too late';
        },
      },
      { concurrency: 4, retryBackoffMs: 0 },
    );
    const ids = [];
    for (const name of ['good', 'bad', 'own', 'stopped'])
      ids.push((await client.submit(name, null, { maxAttempts: 2 })).id);
    for (const id of ids) await client.wait(id);
    await until(() => worker.stats().inFlight.settling === 0);
    const { names, totals, runs, settlements } = worker.stats();
    expect(names.good).toMatchObject({ claimed: 1, started: 1, succeeded: 1, failed: 0 });
    expect(names.bad).toMatchObject({ claimed: 2, started: 2, retried: 1, failed: 1 });
    expect(names.own).toMatchObject({ succeeded: 1 });
    expect(names.stopped).toMatchObject({ canceled: 1, succeeded: 0 });
    expect(totals).toMatchObject({
      claimed: 5,
      succeeded: 2,
      retried: 1,
      failed: 1,
      canceled: 1,
      lost: 0,
    });
    expect([runs.count, settlements.count]).toEqual([5, 5]);
    expect(runs.sumMs).toBeGreaterThan(0);
    expect(runs.counts.reduce((sum, count) => sum + count)).toBe(5);
  });

  it('counts time limits and what stop() handed back', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.run({ slow: () => new Promise(() => {}) }, { maxRunMs: 60 });
    const { id } = await client.submit('slow', null, { maxAttempts: 1 });
    await client.wait(id);
    await until(() => worker.stats().inFlight.settling === 0);
    expect(worker.stats().names.slow).toMatchObject({ started: 1, timedOut: 1, failed: 1 });

    const hand = deferred();
    const holder = stage.run({ held: () => hand.promise }, { prefetch: 4 });
    for (let i = 0; i < 3; i++) await client.submit('held');
    await until(() => holder.stats().inFlight.ready === 2);
    holder.stop();
    await until(() => holder.stats().totals.released === 2);
    hand.resolve();
    await until(() => holder.stats().totals.succeeded === 1);
  });

  it('counts claims: those that brought nothing, and those that failed', async () => {
    const stage = await setStage(backend);
    const worker = stage.run({ any: () => null });
    await until(() => worker.stats().emptyClaims > 0);
    const { claims, emptyClaims, failedClaims } = worker.stats();
    expect(claims.count).toBeGreaterThanOrEqual(emptyClaims);
    expect(failedClaims).toBe(0);
  });
});
