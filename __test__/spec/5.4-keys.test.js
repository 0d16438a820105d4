import { expect, it } from 'vitest';
import { rejection, within } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

const workerId = 'worker_keys';
const states = ['queued', 'running', 'succeeded', 'failed', 'canceled'];

/** A keyed task brought to a state. */
async function keyed(backend, state) {
  const stage = await setStage(backend);
  const store = stage.store();
  const client = stage.client({ store });
  const task = await client.submit('old', { n: 1 }, { key: 'k' });
  if (state !== 'queued' && state !== 'canceled') {
    await store.claim({ queues: ['default'], workerId, leaseMs: 60_000 });
  }
  const owned = { taskId: task.id, workerId };
  if (state === 'canceled') await client.cancel(task.id);
  if (state === 'succeeded') await store.complete({ ...owned, result: 1 });
  if (state === 'failed') {
    await store.fail({ ...owned, error: { type: 'T' }, retryable: false, delayMs: 0 });
  }
  const old = await client.get(task.id);
  expect(old.status).toBe(state);
  return { stage, client, old };
}

// strategy -> the states whose task is returned as it is
const returned = {
  reuse: ['queued', 'running'],
  'reuse-succeeded': ['queued', 'running', 'succeeded'],
  replace: [],
};

onEveryBackend('5.4 keyed submit', (backend) => {
  for (const [conflict, kept] of Object.entries(returned)) {
    it.each(states)(`5.4 ${conflict} of a task that is %s`, async (state) => {
      const { stage, client, old } = await keyed(backend, state);
      const task = await client.submit('new', { n: 2 }, { key: 'k', conflict });
      const [pointer] = await stage.sql('select * from cairnq_task_keys');
      expect(pointer).toMatchObject({ key: 'k', task_id: task.id });
      if (kept.includes(state)) {
        expect(task).toEqual(old);
        expect(await client.list()).toHaveLength(1);
        return;
      }
      expect(task).toMatchObject({ name: 'new', status: 'queued', payload: { n: 2 } });
      expect(task.id).not.toBe(old.id);
      expect((await client.getByKey('k')).id).toBe(task.id);
      const left = await client.get(old.id);
      if (state === 'queued') expect(left.status).toBe('canceled');
      else expect(left.status).toBe(state);
      expect(left.cancel_requested_at_ms !== null).toBe(state === 'running');
      if (state !== 'queued' && state !== 'running') expect(left).toEqual(old);
    });
  }

  it.each(states)('5.4 reject of a task that is %s', async (state) => {
    const { client, old } = await keyed(backend, state);
    const error = await rejection(client.submit('new', null, { key: 'k', conflict: 'reject' }));
    expect(error).toBeInstanceOf(cairnq.AlreadyExists);
    expect(error).toMatchObject({ key: 'k', message: 'task with key k already exists' });
    expect(await client.list()).toEqual([old]);
  });

  it.each(['reuse', 'reuse-succeeded', 'reject', 'replace'])(
    '5.4 %s of a free key inserts',
    async (conflict) => {
      const stage = await setStage(backend);
      const client = stage.client();
      const task = await client.submit('new', null, { key: 'k', conflict });
      expect(task.status).toBe('queued');
      expect((await client.getByKey('k')).id).toBe(task.id);
    },
  );

  it('5.4 a replaced key keeps its creation time and moves its update time', async () => {
    const { stage, client } = await keyed(backend, 'queued');
    await stage.sql('update cairnq_task_keys set created_at_ms = 5, updated_at_ms = 5');
    const task = await client.submit('new', null, { key: 'k', conflict: 'replace' });
    const [pointer] = await stage.sql('select * from cairnq_task_keys');
    expect(pointer).toMatchObject({ created_at_ms: 5, updated_at_ms: task.created_at_ms });
  });

  it('5.4 a key is taken by one of many that submit it together', async () => {
    const stage = await setStage(backend);
    const clients = Array.from({ length: 4 }, () => stage.client({ store: stage.store() }));
    const submits = Array.from({ length: 40 }, (_, i) =>
      clients[i % 4].submit('once', { i }, { key: 'k' }),
    );
    const ids = new Set((await Promise.all(submits)).map(({ id }) => id));
    expect(ids.size).toBe(1);
    const rejects = await Promise.allSettled(
      clients.map((client) => client.submit('once', null, { key: 'r', conflict: 'reject' })),
    );
    expect(rejects.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('5.4 a submit that returns an existing task does not wait at the depth gate', async () => {
    const stage = await setStage(backend);
    const client = stage.client({ maxQueueDepth: 1, maxQueueWaitMs: 30_000 });
    const task = await client.submit('fills', null, { key: 'k' });
    for (const conflict of ['reuse', 'reuse-succeeded']) {
      const again = client.submit('fills', null, { key: 'k', conflict });
      expect((await within(2000, again, 'the keyed submit')).id).toBe(task.id);
    }
  });
});

onBackend('sqlite', '5.4 keyed submit', (backend) => {
  it.each(['reuse', 'reject', 'replace'])(
    '5.4 a key whose task vanished is free (%s)',
    async (conflict) => {
      const { stage, client, old } = await keyed(backend, 'queued');
      const outside = await stage.world.connection();
      await outside.sql('pragma foreign_keys = off');
      await outside.sql('delete from cairnq_tasks');
      expect(await stage.sql('select task_id from cairnq_task_keys')).toEqual([
        { task_id: old.id },
      ]);
      expect(await client.getByKey('k')).toBe(null);
      const task = await client.submit('new', null, { key: 'k', conflict });
      expect(task.name).toBe('new');
      expect((await client.getByKey('k')).id).toBe(task.id);
    },
  );
});
