import { expect, it } from 'vitest';
import { until } from './events.js';
import { onEveryBackend, setStage } from './stage.js';

const queues = ['default'];
const workerId = 'worker_w';
const error = { type: 'T', code: 'c', message: 'm', retryable: true, details: {} };

/** A store and client, and a claimed task on it when a name is given. */
async function scene(backend, name, options) {
  const stage = await setStage(backend);
  const store = stage.store();
  const client = stage.client({ store });
  if (name === undefined) return { stage, store, client };
  const submitted = await client.submit(name, { n: 1 }, options);
  const [task] = await store.claim({ queues, workerId, leaseMs: 5000 });
  expect(task.id).toBe(submitted.id);
  return { stage, store, client, task, owned: { taskId: task.id, workerId } };
}

async function expired(task) {
  await until(() => Date.now() > task.lease_until_ms + 5);
}

onEveryBackend('2.5 operations', (backend) => {
  it('2.5 claim takes due tasks of the named queues and names, in claim order', async () => {
    const { stage, client, store } = await scene(backend);
    const low = await client.submit('a', null, { priority: -1 });
    const first = await client.submit('a');
    const second = await client.submit('b');
    const high = await client.submit('b', null, { priority: 5 });
    await client.submit('a', null, { runAtDelayMs: 60_000 });
    await client.submit('a', null, { queue: 'elsewhere' });
    await client.submit('c', null, { priority: 9 });
    // Two submits within one millisecond would be ordered by their random ids.
    await stage.sql('update cairnq_tasks set created_at_ms = 1, run_at_ms = 1 where id = ?', [
      first.id,
    ]);
    const rows = await store.claim({
      queues,
      workerId,
      names: ['a', 'b'],
      limit: 10,
      leaseMs: 5000,
    });
    expect(rows.map(({ id }) => id)).toEqual([high.id, first.id, second.id, low.id]);
    for (const row of rows) {
      expect(row).toMatchObject({ status: 'running', worker_id: workerId, attempt: 1 });
      expect(row.lease_until_ms).toBe(row.updated_at_ms + 5000);
    }
  });

  it('2.5 claim takes no more than its limit, 1 by default', async () => {
    const { client, store } = await scene(backend);
    for (let i = 0; i < 5; i++) await client.submit('many');
    expect(await store.claim({ queues, workerId })).toHaveLength(1);
    expect(await store.claim({ queues, workerId, limit: 3 })).toHaveLength(3);
    expect(await store.claim({ queues, workerId, limit: 3 })).toHaveLength(1);
  });

  it('2.5 claim keeps the error of the attempt before', async () => {
    const { store, owned } = await scene(backend, 'again');
    await store.fail({ ...owned, error, retryable: true, delayMs: 0 });
    const [task] = await store.claim({ queues, workerId });
    expect(task).toMatchObject({ attempt: 2, error });
  });

  it('2.5 recover requeues an expired task that has attempts left, whatever its queue or name', async () => {
    const { client, store } = await scene(backend);
    const { id } = await client.submit('foreign', null, { queue: 'elsewhere' });
    const [claimed] = await store.claim({ queues: ['elsewhere'], workerId, leaseMs: 100 });
    await expired(claimed);
    expect(await store.claim({ queues, workerId: 'w2', names: ['other'] })).toEqual([]);
    const task = await client.get(id);
    expect(task).toMatchObject({ status: 'queued', worker_id: null, lease_until_ms: null });
    expect(task).toMatchObject({ attempt: 1, completed_at_ms: null, error: null });
    expect(task.run_at_ms).toBe(task.updated_at_ms);
  });

  it('2.5 recover fails an expired task that has no attempt left', async () => {
    const { client, store } = await scene(backend);
    const { id } = await client.submit('last', null, { maxAttempts: 1 });
    const [claimed] = await store.claim({ queues, workerId, leaseMs: 100 });
    await expired(claimed);
    await store.claim({ queues, workerId: 'w2' });
    const task = await client.get(id);
    expect(task).toMatchObject({ status: 'failed', lease_until_ms: null, attempt: 1 });
    expect(task.completed_at_ms).toBe(task.updated_at_ms);
    expect(task.error).toEqual({
      type: 'LeaseExpired',
      code: 'lease_expired',
      message: 'task lease expired and max attempts reached',
      retryable: false,
      details: {},
    });
  });

  it('2.5 recover cancels an expired task whose cancel was requested, its error kept', async () => {
    const { client, store, owned } = await scene(backend, 'canceled');
    await store.fail({ ...owned, error, retryable: true, delayMs: 0 });
    const [claimed] = await store.claim({ queues, workerId, leaseMs: 100 });
    await client.cancel(claimed.id);
    await expired(claimed);
    await store.claim({ queues, workerId: 'w2' });
    const task = await client.get(claimed.id);
    expect(task).toMatchObject({ status: 'canceled', attempt: 2, error });
    expect(task.completed_at_ms).toBe(task.updated_at_ms);
  });

  it('2.5 renew answers with the cancel flag of each task still owned', async () => {
    const { client, store, task, stage } = await scene(backend, 'mine');
    const other = await client.submit('mine');
    await store.claim({ queues, workerId, leaseMs: 5000 });
    await client.submit('not claimed');
    await client.cancel(other.id);
    const taskIds = [task.id, other.id, 'task_missing'];
    const answer = await store.heartbeatBatch({ taskIds, workerId, leaseMs: 60_000 });
    expect(answer).toBeInstanceOf(Map);
    expect(Object.fromEntries(answer)).toEqual({ [task.id]: false, [other.id]: true });
    const row = await stage.row(task.id);
    expect(row.lease_until_ms).toBe(row.updated_at_ms + 60_000);
  });

  it('2.5 heartbeat moves the lease and gives the row', async () => {
    const { store, owned } = await scene(backend, 'mine');
    const row = await store.heartbeat({ ...owned, leaseMs: 90_000 });
    expect(row).toMatchObject({ id: owned.taskId, status: 'running' });
    expect(row.lease_until_ms).toBe(row.updated_at_ms + 90_000);
  });

  it('2.5 progress replaces each of its values only when given', async () => {
    const { store, owned } = await scene(backend, 'mine');
    const steps = [
      [
        { progress: 0.25, message: 'one' },
        { progress: 0.25, message: 'one' },
      ],
      [
        { progress: 0.5, message: null },
        { progress: 0.5, message: 'one' },
      ],
      [
        { progress: null, message: 'two' },
        { progress: 0.5, message: 'two' },
      ],
      [
        { progress: 0, message: '' },
        { progress: 0, message: '' },
      ],
    ];
    for (const [given, expected] of steps) {
      expect(await store.progress({ ...owned, ...given })).toMatchObject(expected);
    }
  });

  it('2.5 succeed ends a task as succeeded even when its cancel was requested', async () => {
    const { client, store, owned } = await scene(backend, 'mine');
    await store.progress({ ...owned, progress: 0.5, message: 'kept' });
    await client.cancel(owned.taskId);
    const row = await store.succeed({ ...owned, result: { ok: true } });
    expect(row).toMatchObject({ status: 'succeeded', result: { ok: true }, progress: 1 });
    expect(row).toMatchObject({ message: 'kept', lease_until_ms: null, worker_id: workerId });
    expect(row.completed_at_ms).toBe(row.updated_at_ms);
  });

  it('2.5 succeed replaces the message when one is given', async () => {
    const { store, owned } = await scene(backend, 'mine');
    await store.progress({ ...owned, progress: 0.5, message: 'before' });
    const row = await store.succeed({ ...owned, result: 1, message: 'after' });
    expect(row).toMatchObject({ status: 'succeeded', message: 'after' });
  });

  it('2.5 complete succeeds, an earlier error staying', async () => {
    const { store, owned } = await scene(backend, 'mine');
    await store.fail({ ...owned, error, retryable: true, delayMs: 0 });
    await store.claim({ queues, workerId });
    const row = await store.complete({ ...owned, result: [1] });
    expect(row).toMatchObject({ status: 'succeeded', result: [1], progress: 1, error });
    expect(row).toMatchObject({ lease_until_ms: null });
    expect(row.completed_at_ms).toBe(row.updated_at_ms);
  });

  it('2.5 complete of a task whose cancel was requested cancels it, result and progress untouched', async () => {
    const { client, store, owned } = await scene(backend, 'mine');
    await store.progress({ ...owned, progress: 0.3, message: null });
    await client.cancel(owned.taskId);
    const row = await store.complete({ ...owned, result: 'value' });
    expect(row).toMatchObject({ status: 'canceled', result: null, progress: 0.3 });
    expect(row.completed_at_ms).toBe(row.updated_at_ms);
  });

  it('2.5 fail requeues a retryable failure after its delay while attempts are left', async () => {
    const { store, owned } = await scene(backend, 'mine', { maxAttempts: 2 });
    const row = await store.fail({ ...owned, error, retryable: true, delayMs: 7000 });
    expect(row).toMatchObject({ status: 'queued', worker_id: null, lease_until_ms: null, error });
    expect(row).toMatchObject({ completed_at_ms: null, progress: null, message: null, attempt: 1 });
    expect(row.run_at_ms).toBe(row.updated_at_ms + 7000);
  });

  it.each([
    ['is not retryable', { retryable: false, maxAttempts: 3 }],
    ['has no attempt left', { retryable: true, maxAttempts: 1 }],
  ])('2.5 fail is final when it %s', async (_, { retryable, maxAttempts }) => {
    const { store, owned } = await scene(backend, 'mine', { maxAttempts });
    await store.progress({ ...owned, progress: 0.3, message: 'so far' });
    const row = await store.fail({ ...owned, error, retryable, delayMs: 7000 });
    expect(row).toMatchObject({ status: 'failed', error, worker_id: workerId, progress: 0.3 });
    expect(row).toMatchObject({ message: 'so far', lease_until_ms: null });
    expect(row.completed_at_ms).toBe(row.updated_at_ms);
  });

  it('2.5 fail of a task whose cancel was requested cancels it, the error set', async () => {
    const { client, store, owned } = await scene(backend, 'mine');
    await client.cancel(owned.taskId);
    const row = await store.fail({ ...owned, error, retryable: true, delayMs: 0 });
    expect(row).toMatchObject({ status: 'canceled', error, lease_until_ms: null });
    expect(row.completed_at_ms).toBe(row.updated_at_ms);
  });

  it('2.5 cancel ends a queued task at once and asks a running one', async () => {
    const { client, task } = await scene(backend, 'running');
    const queued = await client.submit('queued');
    const ended = await client.cancel(queued.id);
    expect(ended).toMatchObject({ status: 'canceled', cancel_requested_at_ms: null });
    expect(ended.completed_at_ms).toBe(ended.updated_at_ms);
    const asked = await client.cancel(task.id);
    expect(asked).toMatchObject({ status: 'running', completed_at_ms: null });
    expect(asked.cancel_requested_at_ms).toBe(asked.updated_at_ms);
    expect(await client.cancel(queued.id)).toBe(null);
    expect(await client.cancel('task_missing')).toBe(null);
  });

  it('2.5 retry queues a failed or canceled task again, afresh', async () => {
    const { client, store, owned } = await scene(backend, 'mine');
    await store.progress({ ...owned, progress: 0.3, message: 'so far' });
    await client.cancel(owned.taskId);
    await store.fail({ ...owned, error, retryable: true, delayMs: 0 });
    const row = await client.retry(owned.taskId);
    expect(row).toMatchObject({ status: 'queued', error: null, worker_id: null, progress: null });
    expect(row).toMatchObject({ message: null, cancel_requested_at_ms: null, attempt: 1 });
    expect(row).toMatchObject({ lease_until_ms: null, completed_at_ms: null });
    expect(row.run_at_ms).toBe(row.updated_at_ms);
    await store.claim({ queues, workerId });
    await store.fail({ ...owned, error, retryable: false, delayMs: 0 });
    expect(await client.retry(owned.taskId, { resetAttempt: true })).toMatchObject({ attempt: 0 });
  });

  it('2.5 retry leaves queued, running and succeeded tasks alone', async () => {
    const { client, store, owned } = await scene(backend, 'mine');
    expect(await client.retry(owned.taskId)).toBe(null);
    await store.complete(owned);
    expect(await client.retry(owned.taskId)).toBe(null);
    const queued = await client.submit('queued');
    expect(await client.retry(queued.id)).toBe(null);
    expect(await client.retry('task_missing')).toBe(null);
  });

  it('2.5 purge deletes terminal tasks strictly older than asked, oldest first, keys included', async () => {
    const { stage, client } = await scene(backend);
    const ids = [];
    for (let i = 0; i < 4; i++) {
      const { id } = await client.submit('old', null, { key: `key ${i}` });
      ids.push(id);
      if (i < 3) await client.cancel(id);
    }
    const ages = [3000, 9000, 6000];
    for (const [i, age] of ages.entries()) {
      const at = Date.now() - age;
      await stage.sql('update cairnq_tasks set completed_at_ms = ? where id = ?', [at, ids[i]]);
    }
    expect(await client.purge({ olderThanMs: 60_000 })).toEqual([]);
    expect(await client.purge({ olderThanMs: 1000, limit: 2 })).toEqual([ids[1], ids[2]]);
    expect(await client.purge({ olderThanMs: 0 })).toEqual([ids[0]]);
    expect(await stage.sql('select key from cairnq_task_keys')).toEqual([{ key: 'key 3' }]);
  });

  it('2.5 list filters and is newest first', async () => {
    const { stage, client } = await scene(backend);
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await client.submit('listed')).id);
    await stage.sql('update cairnq_tasks set created_at_ms = 5000');
    const newest = await client.submit('listed');
    const byId = [...ids].sort().reverse();
    expect((await client.list()).map(({ id }) => id)).toEqual([newest.id, ...byId]);
    const page = await client.list({ limit: 2, offset: 1 });
    expect(page.map(({ id }) => id)).toEqual(byId.slice(0, 2));
  });

  it('2.5 queue depth counts queued rows, delayed ones too, and gives the headroom', async () => {
    const { client } = await scene(backend, 'running');
    await client.submit('queued');
    await client.submit('queued', null, { runAtDelayMs: 60_000 });
    await client.submit('queued', null, { queue: 'elsewhere' });
    expect(await client.queueDepth('default', 10)).toBe(8);
    expect(await client.queueDepth('default', 2)).toBe(0);
    expect(await client.queueDepth('default', 1)).toBe(0);
    expect(await client.queueDepth('empty', 3)).toBe(3);
  });

  it('2.5 stats counts by queue and status', async () => {
    const { client } = await scene(backend, 'running');
    const gone = await client.submit('queued', null, { queue: 'elsewhere' });
    await client.cancel(gone.id);
    await client.submit('queued', null, { queue: 'elsewhere' });
    const none = { queued: 0, running: 0, succeeded: 0, failed: 0, canceled: 0 };
    expect(await client.stats()).toEqual({
      default: { ...none, running: 1 },
      elsewhere: { ...none, queued: 1, canceled: 1 },
    });
  });
});
