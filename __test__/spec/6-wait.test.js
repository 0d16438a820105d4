import { expect, it } from 'vitest';
import { pass, rejection, until, within, worstGap } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

onEveryBackend('6 wait and call', (backend) => {
  it('6.1 gives the task in whatever terminal state it ends', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({
      good: () => 1,
      bad: () => {
        throw new cairnq.TaskError('bad');
      },
    });
    expect(await client.wait((await client.submit('good')).id)).toMatchObject({
      status: 'succeeded',
    });
    expect(await client.wait((await client.submit('bad')).id)).toMatchObject({ status: 'failed' });
    const never = await client.submit('never');
    const waiting = client.wait(never.id);
    await client.cancel(never.id);
    expect(await waiting).toMatchObject({ id: never.id, status: 'canceled' });
    // A task that ended long ago is given at once.
    expect(await client.wait(never.id, { timeoutMs: 0 })).toMatchObject({ status: 'canceled' });
  });

  it('6.1 a timeout says what the last read saw', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('waited');
    const error = await rejection(client.wait(id, { timeoutMs: 50 }));
    expect(error).toBeInstanceOf(cairnq.TaskTimeout);
    expect(error).toMatchObject({ taskId: id, key: null });
    expect(error.task).toMatchObject({ id, status: 'queued' });
    expect(error.message).toBe(
      `task ${id} did not finish within 50ms: never claimed by a worker — is a worker running with a handler for 'waited' on queue 'default', against this same database?`,
    );
    const missing = await rejection(client.wait('task_missing', { timeoutMs: 30 }));
    expect(missing.task).toBe(null);
    expect(missing.message).toBe(
      'task task_missing did not finish within 30ms: task not found — wrong database file, or already purged?',
    );
  });

  it('6.1 a missing task is one that has not finished yet', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const waiting = client.wait('task_later', { pollMs: 10, timeoutMs: 10_000 });
    await stage.sql(
      `insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms,
         completed_at_ms) values ('task_later', 'n', 'default', 'canceled', '{}', 1, 1, 1, 1)`,
    );
    expect(await waiting).toMatchObject({ id: 'task_later', status: 'canceled' });
  });

  it('6.1 a timeout of zero or less reads once', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('waited');
    for (const timeoutMs of [0, -5]) {
      const from = performance.now();
      expect(await rejection(client.wait(id, { timeoutMs }))).toBeInstanceOf(cairnq.TaskTimeout);
      expect(performance.now() - from).toBeLessThan(1000);
    }
  });

  it('6.1 polls at 100 ms, half as long again each time, with a last read at the deadline', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const { id } = await client.submit('polled');
    const reads = [];
    const get = store.get.bind(store);
    let from;
    store.get = (...args) => {
      reads.push(performance.now() - from);
      return get(...args);
    };
    from = performance.now();
    await rejection(client.wait(id, { timeoutMs: 1000 }));
    // Due at 0, 100, 250, 475, 812 and at the deadline.
    expect(reads.length).toBeGreaterThanOrEqual(4);
    expect(reads.length).toBeLessThanOrEqual(7);
    expect(reads.at(-1)).toBeGreaterThanOrEqual(950);

    reads.length = 0;
    from = performance.now();
    await rejection(client.wait(id, { timeoutMs: 400, pollMs: 20, maxPollMs: 20 }));
    expect(reads.length).toBeGreaterThan(10);
  });

  it('6.1 many waiters are all told, with the thread left free', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('awaited');
    const waiting = Array.from({ length: 1000 }, () => client.wait(id, { pollMs: 60_000 }));
    await client.get(id);
    const gap = await worstGap(async () => {
      await client.cancel(id);
      const tasks = await within(5000, Promise.all(waiting), 'a thousand waiters');
      expect(tasks.every(({ status }) => status === 'canceled')).toBe(true);
    });
    expect(gap).toBeLessThan(500);
  });

  it('6.1 waiters of one task share one read per wake', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const { id } = await client.submit('awaited');
    let reads = 0;
    const get = store.get.bind(store);
    store.get = (...args) => {
      reads += 1;
      return get(...args);
    };
    const options = { pollMs: 60_000, maxPollMs: 60_000, timeoutMs: 60_000 };
    const waiting = Array.from({ length: 100 }, () => client.wait(id, options));
    await get(id);
    const before = reads;
    await client.cancel(id);
    await within(5000, Promise.all(waiting), 'a hundred waiters');
    expect(reads - before).toBeLessThanOrEqual(3);
  });

  it('6.1 a waiter in this process is woken long before its next poll', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ quick: () => 'done' }, { pollIntervalMs: 60_000 });
    const { id } = await client.submit('quick');
    const options = { pollMs: 60_000, timeoutMs: 120_000 };
    expect((await within(5000, client.wait(id, options), 'wait')).status).toBe('succeeded');
    await within(5000, client.call('quick', null, { pollMs: 60_000 }), 'call');
  });

  it('6.2 waitByKey waits for a key that does not exist yet', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const waiting = client.waitByKey('k', { pollMs: 10 });
    await client.get('task_x');
    stage.run({ keyed: () => 1 });
    const { id } = await client.submit('keyed', null, { key: 'k' });
    expect(await waiting).toMatchObject({ id, status: 'succeeded' });
  });

  it('6.2 waitByKey follows the key to the task that replaced the first', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    await client.submit('first', null, { key: 'k' });
    await store.claim({ queues: ['default'], workerId: 'w', leaseMs: 60_000 });
    const waiting = client.waitByKey('k', { pollMs: 10 });
    await client.get('task_x');
    const { id } = await client.submit('second', null, { key: 'k', conflict: 'replace' });
    await store.claim({ queues: ['default'], workerId: 'w', leaseMs: 60_000 });
    await store.complete({ taskId: id, workerId: 'w', result: 2 });
    expect(await waiting).toMatchObject({ id, status: 'succeeded', result: 2 });
  });

  it('6.2 a timeout of waitByKey names the key', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const absent = await rejection(client.waitByKey('k', { timeoutMs: 30 }));
    expect(absent).toBeInstanceOf(cairnq.TaskTimeout);
    expect(absent).toMatchObject({ taskId: 'k', key: 'k', task: null });
    expect(absent.message).toBe(
      'key k did not finish within 30ms: no task under this key — never submitted, or already purged?',
    );
    const { id } = await client.submit('keyed', null, { key: 'k', runAtDelayMs: 60_000 });
    const present = await rejection(client.waitByKey('k', { timeoutMs: 30 }));
    expect(present).toMatchObject({ taskId: id, key: 'k' });
    expect(present.message).toMatch(
      /^key k did not finish within 30ms: still queued \(attempt 0\/3\), next run in ~\d+ms$/,
    );
  });

  it('6.3 call gives the result, or the error of the end the task came to', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({
      good: (_ctx, { n }) => n * 2,
      nothing: () => {},
      bad: () => {
        throw new cairnq.TaskError('no good', { code: 'c', type: 'T', details: { why: 1 } });
      },
    });
    expect(await client.call('good', { n: 21 })).toBe(42);
    expect(await client.call({ name: 'nothing' })).toBe(null);
    const failed = await rejection(client.call('bad'));
    expect(failed).toBeInstanceOf(cairnq.TaskFailed);
    expect(failed).toMatchObject({ message: 'no good', code: 'c', type: 'T', details: { why: 1 } });

    // Taken at once: the call may reject before the cancel is answered.
    const calling = rejection(client.call('never', null, { key: 'k' }));
    const task = await until(() => client.getByKey('k'));
    await client.cancel(task.id);
    const canceled = await calling;
    expect(canceled).toBeInstanceOf(cairnq.TaskCanceled);
    expect(canceled.taskId).toBe(task.id);
  });

  it('6.3 no end is missed however fast tasks are, with wakes alone', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ quick: (_, { n }) => n }, { concurrency: 16 });
    const options = { pollMs: 60_000 };
    for (let round = 0; round < 20; round++) {
      const calls = Array.from({ length: 20 }, (_, n) => client.call('quick', { n }, options));
      expect(await within(10_000, Promise.all(calls), 'the calls')).toEqual(
        Array.from({ length: 20 }, (_, n) => n),
      );
    }
  });

  it('6.3 call on a key that leads to a task which has ended gives that task’s result', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ once: (ctx) => ctx.taskId });
    const options = { key: 'k', conflict: 'reuse-succeeded', pollMs: 60_000 };
    const first = await client.call('once', null, options);
    expect(await within(5000, client.call('once', null, options), 'the second call')).toBe(first);
  });

  it('6.3 what a subclass makes of submit and wait counts for call', async () => {
    const stage = await setStage(backend);
    stage.run({ marked: (ctx) => ctx.metadata });
    class Marking extends cairnq.CairnQ {
      waits = 0;
      submit(task, payload, options) {
        return super.submit(task, payload, { ...options, metadata: { by: 'subclass' } });
      }
      wait(id, options) {
        this.waits += 1;
        return super.wait(id, options);
      }
    }
    const client = new Marking(stage.store());
    stage.atEnd(() => client.close());
    expect(await client.call('marked')).toEqual({ by: 'subclass' });
    expect(client.waits).toBe(1);
  });

  it('6.3 after a timeout of call the task runs on', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const options = { waitTimeoutMs: 40, pollMs: 10, queue: 'slow', maxAttempts: 1 };
    const error = await rejection(client.call('slow', { n: 1 }, options));
    expect(error).toBeInstanceOf(cairnq.TaskTimeout);
    stage.run({ slow: (_ctx, { n }) => n + 1 }, { queues: ['slow'] });
    expect(await client.wait(error.taskId)).toMatchObject({
      status: 'succeeded',
      result: 2,
      max_attempts: 1,
    });
  });

  it('6.3 a wait keeps the process alive, and lets it end afterwards', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('elsewhere');
    const peer = stage.peer('waits.js', { taskId: id });
    await peer.event('waiting');
    // Long enough for a process that nothing holds to be gone.
    await pass(300);
    expect(peer.exit).toBe(undefined);
    await client.cancel(id);
    expect((await peer.event('waited')).status).toBe('canceled');
    expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
  });
});
