import { expect, it } from 'vitest';
import { deferred, rejection, until } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

const leaseWithoutRun = `select count(*) as n from cairnq_tasks
  where (status = 'running') <> (lease_until_ms is not null)`;

const queues = ['default'];

onEveryBackend('2.4 invariants', (backend) => {
  it('2.4 a lease is set exactly while a task runs', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const sound = async () => expect(await stage.sql(leaseWithoutRun)).toEqual([{ n: 0 }]);
    const claim = async () => {
      const [task] = await store.claim({ queues, workerId: 'w', leaseMs: 5000 });
      expect(task.lease_until_ms).toBeGreaterThan(0);
      await sound();
      return { taskId: task.id, workerId: 'w' };
    };
    const error = { type: 'T', code: 'c', message: 'm', retryable: true, details: {} };

    await client.submit('one', null, { maxAttempts: 2 });
    await store.fail({ ...(await claim()), error, retryable: true, delayMs: 0 });
    await sound();
    await store.fail({ ...(await claim()), error, retryable: true, delayMs: 0 });
    await sound();
    await client.submit('two');
    await store.complete({ ...(await claim()), result: 1 });
    await sound();
    await client.submit('three');
    const running = await claim();
    await store.cancel(running.taskId);
    await sound();
    await store.complete(running);
    await sound();
    await client.retry(running.taskId);
    await sound();
    await store.succeed({ ...(await claim()), result: 1 });
    await sound();
  });

  const writes = {
    heartbeat: (store, owned) => store.heartbeat({ ...owned, leaseMs: 1000 }),
    progress: (store, owned) => store.progress({ ...owned, progress: 0.5, message: 'half' }),
    succeed: (store, owned) => store.succeed({ ...owned, result: 1 }),
    complete: (store, owned) => store.complete({ ...owned, result: 1 }),
    fail: (store, owned) =>
      store.fail({ ...owned, error: { type: 'T' }, retryable: true, delayMs: 0 }),
  };
  it.each(Object.keys(writes))(
    '2.4 %s is refused to anyone but the owner of a live lease',
    async (name) => {
      const stage = await setStage(backend);
      const store = stage.store();
      const client = stage.client({ store });
      const refused = async (owned) => {
        const before = await stage.row(owned.taskId);
        const error = await rejection(writes[name](store, owned));
        expect(error).toBeInstanceOf(cairnq.LostLease);
        expect(error.taskId).toBe(owned.taskId);
        expect(await stage.row(owned.taskId)).toEqual(before);
      };
      const { id: taskId } = await client.submit('owned');
      await refused({ taskId: 'task_missing', workerId: 'w' });
      await refused({ taskId, workerId: 'w' });
      const [{ lease_until_ms }] = await store.claim({ queues, workerId: 'w', leaseMs: 200 });
      await refused({ taskId, workerId: 'other' });
      await until(() => Date.now() > lease_until_ms + 5);
      await refused({ taskId, workerId: 'w' });
      expect((await writes[name](store, await claimAgain(store))).id).toBe(taskId);
    },
  );

  async function claimAgain(store) {
    const [task] = await store.claim({ queues, workerId: 'w2', leaseMs: 5000 });
    return { taskId: task.id, workerId: 'w2' };
  }

  const endings = {
    returning: async ({ opened }) => opened.promise,
    throwing: async ({ opened }) => {
      await opened.promise;
      throw new Error('too late');
    },
    'timing out': () => new Promise(() => {}),
  };
  it.each(Object.keys(endings))('2.4 cancel outranks a handler %s', async (name) => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    const started = deferred();
    stage.run(
      {
        ends: () => {
          started.resolve();
          return endings[name]({ opened });
        },
      },
      { maxRunMs: name === 'timing out' ? 300 : undefined, retryBackoffMs: 0 },
    );
    const { id } = await client.submit('ends');
    await started.promise;
    expect((await client.cancel(id)).status).toBe('running');
    opened.resolve('value');
    const task = await client.wait(id);
    expect(task).toMatchObject({ status: 'canceled', attempt: 1, result: null });
    expect(task.completed_at_ms).not.toBe(null);
  });

  it('2.4 cancel outranks a lease that runs out', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const { id } = await client.submit('abandoned');
    const [{ lease_until_ms }] = await store.claim({ queues, workerId: 'w', leaseMs: 100 });
    await client.cancel(id);
    await until(() => Date.now() > lease_until_ms + 5);
    await store.claim({ queues, workerId: 'w2' });
    expect(await client.get(id)).toMatchObject({ status: 'canceled', attempt: 1, error: null });
  });

  it('2.4 every path back to queued clears progress and message; terminal rows keep them', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const { id } = await client.submit('paths', null, { maxAttempts: 5 });
    const progressed = async (leaseMs = 5000) => {
      const [task] = await store.claim({ queues, workerId: 'w', leaseMs });
      const owned = { taskId: id, workerId: 'w' };
      await store.progress({ ...owned, progress: 0.4, message: 'under way' });
      return { owned, leaseUntil: task.lease_until_ms };
    };
    const cleared = { status: 'queued', progress: null, message: null };
    const kept = { progress: 0.4, message: 'under way' };
    const error = { type: 'T', code: 'c', message: 'm', retryable: true, details: {} };

    const failed = await progressed();
    const requeued = await store.fail({ ...failed.owned, error, retryable: true, delayMs: 0 });
    expect(requeued).toMatchObject(cleared);

    const expired = await progressed(100);
    await until(() => Date.now() > expired.leaseUntil + 5);
    // A claim that names nothing takes nothing, but still recovers.
    await store.claim({ queues, workerId: 'w', names: [] });
    expect(await client.get(id)).toMatchObject(cleared);

    const final = await progressed();
    const ended = await store.fail({ ...final.owned, error, retryable: false, delayMs: 0 });
    expect(ended).toMatchObject({ status: 'failed', ...kept });
    expect(await client.retry(id)).toMatchObject(cleared);

    const canceled = await progressed();
    await client.cancel(id);
    expect(await store.complete(canceled.owned)).toMatchObject({ status: 'canceled', ...kept });
  });
});
