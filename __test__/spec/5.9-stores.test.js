import { expect, it } from 'vitest';
import { rejection, until, within } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

const workerId = 'worker_store';
const session = { queues: ['default'], workerId, leaseMs: 5000, names: ['a', 'b'] };

onEveryBackend('5.9 stores', (backend) => {
  it('5.9 a store is a TaskStore with every operation', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    expect(store).toBeInstanceOf(cairnq.TaskStore);
    const operations = `connect close protocolVersion useBackpressure submit submitMany get getByKey
      getStatus getStatusByKey list cancel cancelByKey retry retryByKey purge stats queueDepth claim
      claimSession heartbeat heartbeatBatch progress succeed complete fail claimWake taskDoneWake`;
    for (const operation of operations.split(/\s+/)) {
      expect(store[operation], operation).toBeTypeOf('function');
    }
    expect(await store.protocolVersion()).toBe(1);
  });

  it('5.9 submit and submitMany take one object a task', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const task = await store.submit({ name: 'a', payload: { n: 1 }, queue: 'mail', key: 'k' });
    expect(task).toMatchObject({ name: 'a', payload: { n: 1 }, queue: 'mail', status: 'queued' });
    expect((await store.getByKey('k')).id).toBe(task.id);
    const error = await rejection(store.submit({ name: 'a', key: 'k', conflict: 'reject' }));
    expect(error).toBeInstanceOf(cairnq.AlreadyExists);
    expect(await store.submitMany([{ name: 'b' }, { name: 'c' }])).toHaveLength(2);
  });

  it('5.9 claim without names filters nothing; with none it claims nothing but recovers', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const { id } = await store.submit({ name: 'any' });
    expect(await store.claim({ queues: ['default'], workerId, names: [] })).toEqual([]);
    const [claimed] = await store.claim({ queues: ['default'], workerId, leaseMs: 100 });
    expect(claimed.id).toBe(id);
    await until(() => Date.now() > claimed.lease_until_ms + 5);
    expect(await store.claim({ queues: ['default'], workerId, names: [] })).toEqual([]);
    expect(await store.get(id)).toMatchObject({ status: 'queued', attempt: 1 });
  });

  it('5.9 claim leases for 30 seconds by default', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    await store.submit({ name: 'any' });
    const [claimed] = await store.claim({ queues: ['default'], workerId });
    expect(claimed.lease_until_ms - claimed.updated_at_ms).toBe(30_000);
  });

  it('5.9 claimSession is undefined when nothing is due, and plan is not asked', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    await store.submit({ name: 'c' });
    await store.submit({ name: 'a', runAtDelayMs: 60_000 });
    await store.submit({ name: 'a', queue: 'elsewhere' });
    let asked = false;
    const answer = await store.claimSession(session, () => {
      asked = true;
    });
    expect([answer, asked]).toEqual([undefined, false]);
  });

  it('5.9 claimSession draws as often as the plan likes, in one transaction', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    await store.submitMany([{ name: 'a' }, { name: 'a' }, { name: 'b' }]);
    const answer = await store.claimSession(session, async (draw) => {
      expect(await draw(['a'], 0)).toEqual([]);
      expect(await draw(['a'], -1)).toEqual([]);
      expect(await draw([], 5)).toEqual([]);
      const first = await draw(['a'], 1);
      const rest = await draw(['a', 'b'], 10);
      // Nothing is visible to others before the session commits.
      const [{ n }] = await stage.sql(
        "select count(*) as n from cairnq_tasks where status = 'running'",
      );
      expect(n).toBe(0);
      return [first.length, rest.length, [...first, ...rest]];
    });
    expect(answer.slice(0, 2)).toEqual([1, 2]);
    for (const task of answer[2]) {
      expect(task).toMatchObject({ status: 'running', worker_id: workerId, attempt: 1 });
      expect(await store.get(task.id)).toEqual(task);
    }
  });

  it("5.9 claimSession draws only of the session's own names", async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    await store.submitMany([{ name: 'a' }, { name: 'c', priority: 1 }]);
    const names = (rows) => rows.map(({ name }) => name);
    const drawn = await store.claimSession(session, async (draw) => [
      names(await draw(['c'], 5)),
      names(await draw(['c', 'a', 'c'], 5)),
    ]);
    expect(drawn).toEqual([[], ['a']]);
    expect(names(await store.claim({ queues: ['default'], workerId, limit: 5 }))).toEqual(['c']);
    await store.submit({ name: 'any' });
    const open = { ...session, names: undefined };
    expect(names(await store.claimSession(open, (draw) => draw(['any'], 5)))).toEqual(['any']);
  });

  it('5.9 claimSession recovers before it draws', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    await store.submit({ name: 'a' });
    const [claimed] = await store.claim({ queues: ['default'], workerId: 'gone', leaseMs: 100 });
    await until(() => Date.now() > claimed.lease_until_ms + 5);
    const rows = await store.claimSession(session, (draw) => draw(['a'], 5));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ id: claimed.id, attempt: 2 });
  });

  it('5.9 claimSession finds an expired lease whatever its name and queue', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    await store.submit({ name: 'foreign', queue: 'elsewhere' });
    const [claimed] = await store.claim({ queues: ['elsewhere'], workerId: 'gone', leaseMs: 100 });
    await until(() => Date.now() > claimed.lease_until_ms + 5);
    expect(await store.claimSession(session, (draw) => draw(['a'], 5))).toEqual([]);
    expect(await store.get(claimed.id)).toMatchObject({ status: 'queued' });
  });

  it('5.9 a plan that throws rolls its session back', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const { id } = await store.submit({ name: 'a' });
    const oops = new Error('changed my mind');
    const error = await rejection(
      store.claimSession(session, async (draw) => {
        await draw(['a'], 1);
        throw oops;
      }),
    );
    expect(error).toBe(oops);
    expect(await store.get(id)).toMatchObject({ status: 'queued', attempt: 0 });
    // The session is over: others can write and claim.
    await within(2000, store.submit({ name: 'b' }), 'a write after the session');
    expect(await store.claim({ queues: ['default'], workerId, limit: 5 })).toHaveLength(2);
  });

  it('5.9 claimWake and taskDoneWake end with what they wait for, or with the time', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const { id } = await client.submit('a', null, { queue: 'elsewhere' });
    const from = performance.now();
    await store.claimWake(['default'], 60);
    await store.taskDoneWake(id, 60);
    expect(performance.now() - from).toBeGreaterThanOrEqual(110);
    const woken = store.claimWake(['default'], 60_000);
    await client.submit('a');
    await within(5000, woken, 'claimWake');
    const done = store.taskDoneWake(id, 60_000);
    await client.cancel(id);
    await within(5000, done, 'taskDoneWake');
  });

  it('5.9 a store works again after close', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const { id } = await store.submit({ name: 'a' });
    await store.close();
    expect((await store.get(id)).id).toBe(id);
  });
});

onBackend('sqlite', '5.9 stores', (backend) => {
  it('5.9 submitMany takes any length, and a batch settles as many', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const tasks = Array.from({ length: 5000 }, (_, i) => ({
      name: 'many',
      payload: i,
      priority: i % 3,
    }));
    const rows = await client.submitMany(tasks);
    expect(rows).toHaveLength(5000);
    expect(rows.every(({ payload, priority }, i) => payload === i && priority === i % 3)).toBe(
      true,
    );
    const [{ n }] = await stage.sql('select count(*) as n from cairnq_tasks where priority = 2');
    expect(n).toBe(1666);
  });
});
