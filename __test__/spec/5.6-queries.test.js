import { expect, it } from 'vitest';
import { rejection } from './events.js';
import { onBackend, onEveryBackend, setStage } from './stage.js';

const none = { queued: 0, running: 0, succeeded: 0, failed: 0, canceled: 0 };

onEveryBackend('5.6 queries', (backend) => {
  it('5.6 list filters by each of its columns, and by several at once', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const wanted = await client.submit('wanted', null, {
      queue: 'mail',
      rootId: 'task_root',
      correlationId: 'c-1',
    });
    await client.cancel(wanted.id);
    await client.submit('other');
    const filters = {
      status: 'canceled',
      queue: 'mail',
      name: 'wanted',
      rootId: 'task_root',
      correlationId: 'c-1',
    };
    for (const [name, value] of [...Object.entries(filters), ['all', filters]]) {
      const filter = name === 'all' ? filters : { [name]: value };
      expect(
        (await client.list(filter)).map(({ id }) => id),
        name,
      ).toEqual([wanted.id]);
      expect(await client.list({ ...filters, ...filter, name: 'nobody' })).toEqual([]);
    }
    expect(await client.list({ status: null, queue: undefined })).toHaveLength(2);
  });

  it('5.6 list gives 100 tasks from the start unless told otherwise', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submitMany(Array.from({ length: 103 }, () => ({ name: 'many' })));
    expect(await client.list()).toHaveLength(100);
    expect(await client.list({ limit: 1000 })).toHaveLength(103);
    expect(await client.list({ offset: 100 })).toHaveLength(3);
    expect(await client.list({ limit: 0 })).toEqual([]);
  });

  it.each([
    ['list', { status: 'paused' }, 'unknown status filter: paused'],
    ['list', { status: 'constructor' }, 'unknown status filter: constructor'],
    ['list', { limit: -1 }, 'limit/offset must be >= 0, got limit=-1 offset=0'],
    ['list', { offset: -2 }, 'limit/offset must be >= 0, got limit=100 offset=-2'],
    ['purge', { olderThanMs: -1 }, 'olderThanMs must be >= 0, got -1'],
    ['purge', { limit: 0 }, 'limit must be >= 1, got 0'],
  ])('5.6 %s(%o) is refused', async (operation, options, message) => {
    const stage = await setStage(backend);
    const client = stage.client();
    for (const object of [client, client.store]) {
      expect((await rejection(object[operation](options))).message).toBe(message);
    }
  });

  it.each([-1, 1.5, Number.NaN, Infinity])(
    '5.6 queueDepth refuses a maximum of %d',
    async (max) => {
      const stage = await setStage(backend);
      const error = await rejection(stage.client().queueDepth('default', max));
      expect(error.message).toBe(`maxDepth must be a non-negative integer, got ${max}`);
    },
  );

  it('5.6 stats counts every status of every queue, whatever the queue is called', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    expect(await client.stats()).toEqual({});
    for (const queue of ['__proto__', 'constructor', 'default']) {
      await client.submit('counted', null, { queue });
    }
    const stats = await client.stats();
    expect(Object.keys(stats).sort()).toEqual(['__proto__', 'constructor', 'default']);
    for (const queue of Object.keys(stats)) expect(stats[queue]).toEqual({ ...none, queued: 1 });
    expect({}.queued).toBe(undefined);
  });

  it('5.7 a Task is a plain object with numbers and decoded JSON', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('plain', { a: [1] }, { metadata: { m: null } });
    const task = await client.get(id);
    expect(Object.getPrototypeOf(task)).toBe(Object.prototype);
    expect(task).toMatchObject({ payload: { a: [1] }, metadata: { m: null } });
    for (const name of ['created_at_ms', 'updated_at_ms', 'run_at_ms', 'attempt', 'priority']) {
      expect(task[name], name).toBeTypeOf('number');
    }
    expect(await client.get('task_missing')).toBe(null);
    expect(await client.getByKey('missing')).toBe(null);
  });

  it('5.8 getStatus and getStatusByKey give the id and the status', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('asked', null, { key: 'k' });
    expect(await client.getStatus(id)).toEqual({ id, status: 'queued' });
    expect(await client.getStatusByKey('k')).toEqual({ id, status: 'queued' });
    expect(await client.getStatus('task_missing')).toBe(null);
    expect(await client.getStatusByKey('missing')).toBe(null);
  });

  it('5.8 cancelByKey and retryByKey act on the task of the key', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('keyed', null, { key: 'k' });
    expect(await client.cancelByKey('k')).toMatchObject({ id, status: 'canceled' });
    expect(await client.cancelByKey('k')).toBe(null);
    expect(await client.retryByKey('k', { resetAttempt: true })).toMatchObject({
      id,
      status: 'queued',
    });
    expect(await client.retryByKey('k')).toBe(null);
    expect(await client.cancelByKey('missing')).toBe(null);
    expect(await client.retryByKey('missing')).toBe(null);
  });

  it('5.8 purge takes a status, a name and a queue', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const make = async (name, queue, status) => {
      const { id } = await client.submit(name, null, { queue });
      if (status === 'canceled') await client.cancel(id);
      else {
        await store.claim({ queues: [queue], workerId: 'w' });
        await store.complete({ taskId: id, workerId: 'w' });
      }
      return id;
    };
    const a = await make('a', 'one', 'canceled');
    const b = await make('b', 'one', 'succeeded');
    const c = await make('a', 'two', 'succeeded');
    await stage.sql('update cairnq_tasks set completed_at_ms = 1');
    expect(await client.purge({ status: 'failed' })).toEqual([]);
    expect(await client.purge({ status: 'canceled', name: 'b' })).toEqual([]);
    expect(await client.purge({ name: 'b', queue: 'one' })).toEqual([b]);
    expect(await client.purge({ queue: 'two' })).toEqual([c]);
    expect(await client.purge({ status: 'canceled' })).toEqual([a]);
  });

  it('5.8 stats of one queue always has that queue', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submit('counted', null, { queue: 'one' });
    expect(await client.stats('one')).toEqual({ one: { ...none, queued: 1 } });
    expect(await client.stats('empty')).toEqual({ empty: none });
    const odd = await client.stats('__proto__');
    expect(Object.entries(odd)).toEqual([['__proto__', none]]);
  });
});

onBackend('sqlite', '5.7 queries', (backend) => {
  it('5.7 every filter reaches an index', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    await stage.sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)
       insert into cairnq_tasks (id, name, queue, status, payload, root_id, correlation_id, run_at_ms,
         created_at_ms, updated_at_ms, completed_at_ms)
       select printf('task_%08d', i), 'name', 'queue', 'succeeded', '{}', 'root', 'correlation', i, i, i, i
       from n`,
    );
    const rare = await client.submit('rare', null, {
      queue: 'rare',
      rootId: 'rare',
      correlationId: 'rare',
    });
    const cost = async (options) => {
      const costs = [];
      for (let i = 0; i < 7; i++) {
        const from = performance.now();
        await client.list(options);
        costs.push(performance.now() - from);
      }
      return costs.sort((a, b) => a - b)[3];
    };
    // Without a filter every row is looked at: that is the yardstick.
    const whole = await cost({ limit: 1 });
    const filters = { name: 'rare', queue: 'rare', rootId: 'rare', correlationId: 'rare' };
    for (const [name, value] of [...Object.entries(filters), ['status', 'queued']]) {
      expect((await client.list({ [name]: value })).map(({ id }) => id)).toEqual([rare.id]);
      expect(await cost({ [name]: value }), name).toBeLessThan(whole / 3);
    }
  });
});
