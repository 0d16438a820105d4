import { expect, it } from 'vitest';
import { deferred, rejection, until, within } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

/** Replaces a method of a store by one that notes its calls, then does what the genuine one does. */
function noting(store, name) {
  const calls = [];
  const genuine = store[name].bind(store);
  store[name] = (...args) => {
    calls.push(args);
    return genuine(...args);
  };
  return calls;
}

onEveryBackend('8.10 replaced store methods', (backend) => {
  it('8.10 complete and fail', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const completed = noting(store, 'complete');
    const failed = noting(store, 'fail');
    const worker = stage.run(
      {
        good: (_ctx, payload) => payload,
        bad: () => {
          throw new cairnq.TaskError('bad');
        },
      },
      { store },
    );
    const good = await client.wait((await client.submit('good', { n: 1 })).id);
    expect(good).toMatchObject({ status: 'succeeded', result: { n: 1 } });
    expect(completed).toEqual([
      [expect.objectContaining({ taskId: good.id, workerId: worker.id, result: { n: 1 } })],
    ]);
    const bad = await client.wait((await client.submit('bad')).id);
    expect(bad).toMatchObject({ status: 'failed', error: { message: 'bad' } });
    expect(failed).toEqual([
      [
        expect.objectContaining({
          taskId: bad.id,
          workerId: worker.id,
          retryable: false,
          delayMs: 0,
          error: expect.objectContaining({ message: 'bad' }),
        }),
      ],
    ]);
  });

  it('8.10 a replacement that throws or rejects is reported, and the worker goes on', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const genuine = store.complete.bind(store);
    let thrown = 0;
    store.complete = (options) => {
      thrown += 1;
      if (thrown === 1) throw new Error('complete threw');
      if (thrown === 2) return Promise.reject(new Error('complete rejected'));
      return genuine(options);
    };
    stage.run({ doubled: () => 1 }, { store, leaseMs: 600, pollIntervalMs: 20 });
    const { id } = await client.submit('doubled', null, { maxAttempts: 5 });
    expect(await client.wait(id)).toMatchObject({ status: 'succeeded' });
    const messages = stage.reports.map(({ error }) => error.message);
    expect(messages).toEqual(expect.arrayContaining(['complete threw', 'complete rejected']));
    for (const { info } of stage.reports) expect(info).toEqual({ phase: 'execute', taskId: id });
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
  ])('8.10 a replacement that returns %s does no harm', async (_, value) => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const genuine = store.complete.bind(store);
    store.complete = async (options) => {
      await genuine(options);
      return value;
    };
    stage.run({ doubled: () => 1 }, { store });
    for (let i = 0; i < 3; i++) {
      const { id } = await client.submit('doubled');
      expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
    }
  });

  it('8.10 claimSession', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const sessions = noting(store, 'claimSession');
    const worker = stage.run(
      { plain: () => 1, batched: [{ batch: 2 }, () => {}] },
      { store, pollIntervalMs: 20 },
    );
    expect(await client.call('plain')).toBe(1);
    expect(await client.call('batched')).toBe(null);
    const [[options, plan]] = sessions;
    expect(options).toMatchObject({ queues: ['default'], workerId: worker.id, leaseMs: 30_000 });
    expect([...options.names].sort()).toEqual(['batched', 'plain']);
    expect(plan).toBeTypeOf('function');
  });

  it('8.10 a claimSession that fails is a claim error, and the loop goes on', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const genuine = store.claimSession.bind(store);
    let asked = 0;
    store.claimSession = (options, plan) => {
      asked += 1;
      if (asked === 1) throw new Error('claim threw');
      if (asked === 2) return Promise.reject(new Error('claim rejected'));
      return genuine(options, plan);
    };
    stage.run({ plain: () => 1 }, { store, pollIntervalMs: 20 });
    expect(await client.call('plain')).toBe(1);
    expect(stage.reports.map(({ error, info }) => [error.message, info])).toEqual([
      ['claim threw', { phase: 'claim' }],
      ['claim rejected', { phase: 'claim' }],
    ]);
  });

  it('4.5 8.10 a delivered task without a handler fails as no_handler', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const genuine = store.claimSession.bind(store);
    store.claimSession = (options, plan) =>
      genuine({ ...options, names: ['stranger'] }, (draw) =>
        plan((_names, limit) => draw(['stranger'], limit)),
      );
    stage.run({ known: () => 1 }, { store, pollIntervalMs: 20 });
    const { id } = await client.submit('stranger');
    const task = await client.wait(id);
    expect(task).toMatchObject({ status: 'failed', attempt: 1 });
    expect(task.error).toEqual({
      type: 'NoHandler',
      code: 'no_handler',
      message: 'no handler registered for stranger',
      retryable: false,
      details: {},
    });
  });

  it('8.10 heartbeatBatch', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const beats = noting(store, 'heartbeatBatch');
    const opened = deferred();
    const worker = stage.run(
      { held: () => opened.promise },
      { store, leaseMs: 5000, heartbeatIntervalMs: 40 },
    );
    const { id } = await client.submit('held');
    await until(() => beats.length >= 2);
    expect(beats[0][0]).toMatchObject({ taskIds: [id], workerId: worker.id, leaseMs: 5000 });
    opened.resolve('held');
    expect(await client.wait(id)).toMatchObject({ status: 'succeeded' });
  });

  it('8.10 a heartbeatBatch that fails is reported; one that leaves a task out loses it', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const started = deferred();
    let answer = () => Promise.reject(new Error('no beat'));
    store.heartbeatBatch = (options) => answer(options);
    stage.run(
      {
        held: (ctx) => {
          started.resolve(ctx);
          return new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
        },
      },
      { store, leaseMs: 5000, heartbeatIntervalMs: 40 },
    );
    await client.submit('held');
    const ctx = await started.promise;
    await until(() => stage.reports.length > 0);
    expect(stage.reports[0]).toMatchObject({
      error: { message: 'no beat' },
      info: { phase: 'execute' },
    });
    expect(ctx.lostLease).toBe(false);
    answer = () => Promise.resolve(new Map());
    await until(() => ctx.lostLease);
  });

  it('8.10 run() drains before it rejects', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const opened = deferred();
    const started = deferred();
    const worker = stage.worker({ store, pollIntervalMs: 20 });
    worker.task('held', () => {
      started.resolve();
      return opened.promise;
    });
    const running = stage.start(worker);
    const { id } = await client.submit('held');
    await started.promise;
    let over = false;
    running
      .catch(() => {})
      .then(() => {
        over = true;
      });
    store.complete = () => Promise.reject(new Error('not any more'));
    worker.stop();
    await client.get(id);
    expect(over).toBe(false);
    opened.resolve();
    await within(
      5000,
      running.catch(() => {}),
      'run()',
    );
  });

  it('8.10 wait, the gate and retention go through the object', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store, maxQueueDepth: 5 });
    const got = noting(store, 'get');
    const asked = noting(store, 'queueDepth');
    const purged = noting(store, 'purge');
    const { id } = await client.submit('noted');
    expect(asked.length).toBeGreaterThan(0);
    await rejection(client.wait(id, { timeoutMs: 0 }));
    expect(got).toEqual([[id]]);
    await new cairnq.RetentionSweeper(store, { olderThanMs: 0 }).sweep();
    expect(purged).toHaveLength(1);
  });
});
