import { expect, it } from 'vitest';
import { deferred, pass, rejection, until, within } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

onEveryBackend('8.9 lifecycle', (backend) => {
  it('8.9 run() settles only when nothing it started is running', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    const started = deferred();
    const worker = stage.worker();
    worker.task('held', () => {
      started.resolve();
      return opened.promise;
    });
    const running = stage.start(worker);
    const { id } = await client.submit('held');
    await started.promise;
    let over = false;
    const noted = running.then(() => {
      over = true;
    });
    worker.stop();
    await pass(100);
    expect(over).toBe(false);
    opened.resolve('own');
    await within(5000, noted, 'run()');
    // Durable before run() settles, not merely on its way.
    expect(await stage.row(id)).toMatchObject({ status: 'succeeded', result: '"own"' });
  });

  it('8.9 stop() ends every sleep at once', async () => {
    const stage = await setStage(backend);
    const worker = stage.worker({ pollIntervalMs: 600_000 });
    worker.task('never', () => {});
    const running = stage.start(worker);
    await stage.client().connect();
    await pass(50);
    worker.stop();
    await within(2000, running, 'run()');
  });

  it('8.9 stop() is idempotent, permanent, and works before run()', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('never');
    const worker = stage.worker();
    worker.task('never', () => 'ran after all');
    worker.stop();
    worker.stop();
    await within(5000, worker.run(), 'run() after stop()');
    await within(5000, worker.run(), 'a second run()');
    worker.stop();
    expect((await client.get(id)).status).toBe('queued');
  });

  it('8.9 on stop, tasks claimed but not started are handed back as before the claim', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    let started = 0;
    const submitted = await client.submitMany(
      Array.from({ length: 10 }, (_, i) => ({ name: 'held', payload: i, priority: -i })),
    );
    const before = new Map(submitted.map((task) => [task.id, task]));
    const worker = stage.worker({ concurrency: 2, prefetch: 8 });
    worker.task('held', () => {
      started += 1;
      return opened.promise;
    });
    const running = stage.start(worker);
    await until(async () => (await client.stats()).default.running === 10);
    expect(started).toBe(2);
    worker.stop();
    const queued = await until(async () => {
      const rows = await client.list({ status: 'queued' });
      return rows.length === 8 && rows;
    });
    for (const task of queued) {
      expect(task).toEqual({ ...before.get(task.id), updated_at_ms: task.updated_at_ms });
    }
    opened.resolve();
    await running;
    expect(started).toBe(2);
    expect((await client.stats()).default).toMatchObject({ succeeded: 2, queued: 8 });
  });

  it('8.9 stop({graceMs}) abandons what is still running and hands it back', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const started = deferred();
    const worker = stage.worker({ leaseMs: 60_000 });
    worker.task('stuck', (ctx) => {
      started.resolve(ctx);
      return new Promise(() => {});
    });
    const running = stage.start(worker);
    const { id } = await client.submit('stuck');
    const ctx = await started.promise;
    const from = performance.now();
    worker.stop({ graceMs: 150 });
    await within(5000, running, 'run()');
    expect(performance.now() - from).toBeGreaterThanOrEqual(140);
    expect(ctx.lostLease).toBe(true);
    expect(ctx.signal.aborted).toBe(true);
    expect(await rejection(ctx.progress(0.5))).toBeInstanceOf(cairnq.LostLease);
    expect(await client.get(id)).toMatchObject({ status: 'queued', lease_until_ms: null });
  });

  it('8.9 a handler that ends within the grace is recorded', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const started = deferred();
    const opened = deferred();
    const worker = stage.worker();
    worker.task('held', () => {
      started.resolve();
      return opened.promise;
    });
    const running = stage.start(worker);
    const { id } = await client.submit('held');
    await started.promise;
    worker.stop({ graceMs: 20_000 });
    opened.resolve('in time');
    await within(5000, running, 'run()');
    expect(await client.get(id)).toMatchObject({ status: 'succeeded', result: 'in time' });
  });

  it('8.9 background runs beside a function, stops, and gives its value', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.worker();
    worker.task('echo', (_ctx, payload) => payload);
    expect(await worker.background(() => client.call('echo', 'beside'))).toBe('beside');
    const { id } = await client.submit('echo');
    await pass(100);
    expect((await client.get(id)).status).toBe('queued');
  });

  it('8.9 background rejects with what its function threw, after the worker stopped', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.worker();
    worker.task('echo', (_ctx, payload) => payload);
    const oops = new Error('oops');
    const error = await rejection(
      worker.background(() => {
        throw oops;
      }),
    );
    expect(error).toBe(oops);
    const { id } = await client.submit('echo');
    await pass(100);
    expect((await client.get(id)).status).toBe('queued');
  });

  it('8.9 background takes a concurrency', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    let now = 0;
    const worker = stage.worker();
    worker.task('held', () => {
      now += 1;
      return opened.promise;
    });
    await client.submitMany([{ name: 'held' }, { name: 'held' }, { name: 'held' }]);
    await worker.background(
      async () => {
        await until(() => now === 3);
        opened.resolve();
      },
      { concurrency: 3 },
    );
  });

  it('8.9 two run() calls share the counters of names and resources', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    const counts = { named: 0, gpu: 0, free: 0 };
    const handler = (ctx) => {
      counts[ctx.name] += 1;
      return opened.promise;
    };
    const worker = stage.worker({ concurrency: 4, resources: { gpu: 1 } });
    worker
      .task('named', { concurrency: 2 }, handler)
      .task('gpu', { resource: 'gpu' }, handler)
      .task('free', handler);
    const ten = (name) => client.submitMany(Array.from({ length: 10 }, () => ({ name })));
    await ten('named');
    await ten('gpu');
    stage.start(worker);
    stage.start(worker);
    await until(() => counts.named + counts.gpu === 3);
    await ten('free');
    await until(() => counts.free === 5);
    await pass(100);
    expect(counts).toEqual({ named: 2, gpu: 1, free: 5 });
    opened.resolve();
  });

  it('8.9 Symbol.asyncDispose stops and closes', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.worker();
    worker.task('echo', (_ctx, payload) => payload);
    const running = worker.run();
    expect(await client.call('echo', 1)).toBe(1);
    await within(5000, worker[Symbol.asyncDispose](), 'asyncDispose');
    await within(5000, running, 'run()');
  });

  it('8.9 close() closes the store', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const closed = deferred();
    const close = store.close.bind(store);
    store.close = () => {
      closed.resolve();
      return close();
    };
    await stage.worker({ store }).close();
    await within(1000, closed.promise, 'store.close()');
  });

  it('8.9 run() connects, and a store that cannot be opened rejects it', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    store.connect = () => Promise.reject(new Error('no way in'));
    const worker = stage.worker({ store });
    worker.task('never', () => {});
    expect((await rejection(worker.run())).message).toBe('no way in');
  });

  it('8.9 a handler that submits while the worker stops is served until it settles', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const started = deferred();
    const opened = deferred();
    const worker = stage.worker();
    worker.task('parent', async (ctx) => {
      started.resolve();
      await opened.promise;
      return (await ctx.submit('child')).id;
    });
    const running = stage.start(worker);
    const { id } = await client.submit('parent');
    await started.promise;
    worker.stop();
    opened.resolve();
    await running;
    const parent = await client.get(id);
    expect(parent.status).toBe('succeeded');
    expect(await client.get(parent.result)).toMatchObject({ name: 'child', status: 'queued' });
  });
});

onBackend('sqlite', '8.9 lifecycle', (backend) => {
  it('8.9 a failing open rejects background(), and is never an unhandled rejection', async () => {
    const stage = await setStage(backend);
    const unhandled = [];
    const note = (error) => unhandled.push(error);
    process.on('unhandledRejection', note);
    stage.atEnd(() => process.off('unhandledRejection', note));
    // A folder where the file should be cannot be opened as a database.
    const worker = cairnq.Worker.sqlite(stage.world.directory);
    worker.task('never', () => {});
    expect(await rejection(worker.background(() => pass(50)))).toBeInstanceOf(Error);
    expect(await rejection(worker.run())).toBeInstanceOf(Error);
    await pass(50);
    expect(unhandled).toEqual([]);
  });
});
