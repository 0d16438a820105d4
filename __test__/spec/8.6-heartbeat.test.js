import { expect, it } from 'vitest';
import { deferred, pass, rejection, until } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

/** A running task whose handler stays until the test opens it. */
async function held(stage, options, submit = {}) {
  const client = stage.client();
  const opened = deferred();
  const started = deferred();
  let runs = 0;
  stage.run(
    {
      held: (ctx) => {
        runs += 1;
        started.resolve(ctx);
        return opened.promise;
      },
    },
    options,
  );
  const { id } = await client.submit('held', null, submit);
  const ctx = await started.promise;
  return { client, id, ctx, open: opened.resolve, runs: () => runs };
}

onEveryBackend('8.6 heartbeat', (backend) => {
  it('8.6 a task longer than its lease runs once', async () => {
    const stage = await setStage(backend);
    const { client, id, open, runs } = await held(stage, { leaseMs: 1500 });
    stage.run({ held: () => 'stolen' }, { store: stage.store(), pollIntervalMs: 20 });
    const first = await client.get(id);
    await until(() => Date.now() > first.lease_until_ms + 1500);
    const later = await client.get(id);
    expect(later.lease_until_ms).toBeGreaterThan(first.lease_until_ms);
    expect(later).toMatchObject({ status: 'running', attempt: 1, worker_id: first.worker_id });
    open('own');
    expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 1, result: 'own' });
    expect(runs()).toBe(1);
    expect(stage.reports).toEqual([]);
  });

  it('8.6 a beat comes every heartbeatIntervalMs and renews all tasks in play', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    await client.submitMany(Array.from({ length: 30 }, () => ({ name: 'many' })));
    let started = 0;
    stage.run(
      {
        many: () => {
          started += 1;
          return opened.promise;
        },
      },
      { concurrency: 30, leaseMs: 5000, heartbeatIntervalMs: 60 },
    );
    await until(() => started === 30);
    const leases = async () => {
      const rows = await stage.sql('select lease_until_ms as at from cairnq_tasks');
      return rows.map(({ at }) => at);
    };
    const before = Math.max(...(await leases()));
    await until(async () => Math.min(...(await leases())) > before + 100);
    opened.resolve();
  });

  it('8.6 the answer carries the cancel flag, after which canceled() is free', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const { client, id, ctx, open } = await held(stage, {
      store,
      leaseMs: 5000,
      heartbeatIntervalMs: 50,
    });
    expect(await ctx.canceled()).toBe(false);
    await stage.sql('update cairnq_tasks set cancel_requested_at_ms = 5 where id = ?', [id]);
    await until(() => ctx.canceled());
    expect(ctx.lostLease).toBe(false);
    const get = store.get;
    store.get = () => Promise.reject(new Error('canceled() asked the database'));
    expect(await ctx.canceled()).toBe(true);
    store.get = get;
    open();
    expect((await client.wait(id)).status).toBe('canceled');
  });

  it('8.6 an absent task is lost, alone', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const tasks = await client.submitMany([
      { name: 'batch' },
      { name: 'batch' },
      { name: 'batch' },
    ]);
    const started = deferred();
    const opened = deferred();
    stage.run(
      {
        batch: [
          { batch: 3 },
          async (contexts) => {
            started.resolve(contexts);
            await opened.promise;
            return Object.fromEntries(contexts.map(({ taskId }) => [taskId, 'done']));
          },
        ],
      },
      { leaseMs: 5000, heartbeatIntervalMs: 50 },
    );
    const contexts = await started.promise;
    const lost = contexts.find(({ taskId }) => taskId === tasks[1].id);
    await stage.sql("update cairnq_tasks set worker_id = 'worker_other' where id = ?", [
      lost.taskId,
    ]);
    await until(() => lost.lostLease);
    expect(lost.signal.aborted).toBe(true);
    expect(lost.signal.reason).toBeInstanceOf(cairnq.LostLease);
    const error = await rejection(lost.progress(0.5));
    expect(error).toBeInstanceOf(cairnq.LostLease);
    for (const ctx of contexts) {
      if (ctx !== lost) expect([ctx.lostLease, ctx.signal.aborted]).toEqual([false, false]);
    }
    opened.resolve();
    for (const i of [0, 2]) {
      expect(await client.wait(tasks[i].id)).toMatchObject({ status: 'succeeded', result: 'done' });
    }
    const row = await stage.row(lost.taskId);
    expect(row).toMatchObject({ status: 'running', worker_id: 'worker_other', result: null });
  });

  it('8.6 a settled task is not renewed, and its absence is no loss', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const settled = deferred();
    const opened = deferred();
    stage.run(
      {
        settles: async (ctx) => {
          await ctx.succeed('early');
          settled.resolve(ctx);
          await opened.promise;
        },
      },
      { leaseMs: 5000, heartbeatIntervalMs: 50 },
    );
    const { id } = await client.submit('settles');
    const ctx = await settled.promise;
    const before = await stage.row(id);
    await pass(250);
    expect([ctx.lostLease, ctx.signal.aborted, ctx.settled]).toEqual([false, false, true]);
    expect(await stage.row(id)).toEqual(before);
    opened.resolve();
    expect(stage.reports).toEqual([]);
  });

  it('8.6 renewal goes on during stop(), until the settlement is done', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    const started = deferred();
    const worker = stage.worker({ leaseMs: 1500 });
    worker.task('held', () => {
      started.resolve();
      return opened.promise;
    });
    const running = stage.start(worker);
    const { id } = await client.submit('held');
    await started.promise;
    worker.stop();
    const { lease_until_ms: first } = await client.get(id);
    await until(() => Date.now() > first + 1500);
    expect(await client.get(id)).toMatchObject({ status: 'running', attempt: 1 });
    opened.resolve('own');
    await running;
    expect(await client.get(id)).toMatchObject({ status: 'succeeded', result: 'own', attempt: 1 });
  });

  it('8.6 heartbeat() by hand renews the lease at once', async () => {
    const stage = await setStage(backend);
    const { client, id, ctx, open } = await held(stage, {
      leaseMs: 60_000,
      heartbeatIntervalMs: 30_000,
    });
    const before = (await client.get(id)).lease_until_ms;
    await pass(20);
    const task = await ctx.heartbeat();
    expect(task).toMatchObject({ id, status: 'running' });
    expect(task.lease_until_ms).toBeGreaterThan(before);
    open();
  });
});

onBackend('sqlite', '8.6 heartbeat', (backend) => {
  it('8.6 a beat that fails is reported and tried again before the lease ends', async () => {
    const stage = await setStage(backend);
    const options = {
      leaseMs: 2000,
      heartbeatIntervalMs: 300,
      store: stage.store({ busyTimeoutMs: 30 }),
    };
    const { client, id, ctx, open } = await held(stage, options);
    const holder = await stage.world.connection();
    const first = await client.get(id);
    await holder.sql('begin immediate');
    await until(() => stage.reports.length > 0);
    expect(stage.reports[0].info).toMatchObject({ phase: 'execute' });
    expect(stage.reports[0].error.code).toBe('SQLITE_BUSY');
    // Locked for most of the lease: only a try after the lock and before the end can save it.
    await until(() => Date.now() > first.lease_until_ms - 700);
    await holder.sql('rollback');
    await until(async () => (await client.get(id)).lease_until_ms > first.lease_until_ms);
    expect(ctx.lostLease).toBe(false);
    open('kept');
    expect(await client.wait(id)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
      result: 'kept',
    });
  });

  it('8.6 the lease is given up when its time has passed', async () => {
    const stage = await setStage(backend);
    const options = { leaseMs: 600, store: stage.store({ busyTimeoutMs: 30 }) };
    const { client, id, ctx, open } = await held(stage, options);
    const holder = await stage.world.connection();
    await holder.sql('begin immediate');
    // The last renewal may have come just before the lock.
    const { lease_until_ms: end } = await client.get(id);
    await until(() => ctx.lostLease);
    expect(Date.now()).toBeGreaterThanOrEqual(end - 50);
    expect(ctx.signal.reason).toBeInstanceOf(cairnq.LostLease);
    await holder.sql('rollback');
    open();
  });
});
