import { expect, it } from 'vitest';
import { rejection } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

onEveryBackend('5.3 submit', (backend) => {
  it('5.3 fills in the defaults', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const task = await client.submit('plain');
    expect(task).toEqual({
      id: expect.stringMatching(/^task_/),
      name: 'plain',
      queue: 'default',
      status: 'queued',
      payload: {},
      result: null,
      error: null,
      metadata: {},
      progress: null,
      message: null,
      attempt: 0,
      max_attempts: 3,
      priority: 0,
      worker_id: null,
      lease_until_ms: null,
      run_at_ms: task.created_at_ms,
      cancel_requested_at_ms: null,
      parent_id: null,
      root_id: task.id,
      correlation_id: null,
      created_at_ms: expect.any(Number),
      updated_at_ms: task.created_at_ms,
      completed_at_ms: null,
    });
    expect(await client.get(task.id)).toEqual(task);
  });

  it('5.3 null counts as absent', async () => {
    const stage = await setStage(backend);
    const options = `queue key conflict maxAttempts priority metadata parentId rootId correlationId
      runAtDelayMs`.split(/\s+/);
    const nulls = Object.fromEntries(options.map((name) => [name, null]));
    const task = await stage.client().submit('plain', null, nulls);
    expect(task).toMatchObject({ queue: 'default', max_attempts: 3, priority: 0, metadata: {} });
    expect(task).toMatchObject({ parent_id: null, root_id: task.id, correlation_id: null });
    expect(await stage.sql('select key from cairnq_task_keys')).toEqual([]);
  });

  it('5.3 carries every option', async () => {
    const stage = await setStage(backend);
    const task = await stage.client().submit(
      { name: 'full' },
      { n: 1 },
      {
        queue: 'mail',
        key: 'k',
        maxAttempts: 7,
        priority: -4,
        metadata: { trace: 'x' },
        parentId: 'task_parent',
        rootId: 'task_root',
        correlationId: 'c-1',
        runAtDelayMs: 5000,
      },
    );
    expect(task).toMatchObject({
      name: 'full',
      queue: 'mail',
      payload: { n: 1 },
      max_attempts: 7,
      priority: -4,
      metadata: { trace: 'x' },
      parent_id: 'task_parent',
      root_id: 'task_root',
      correlation_id: 'c-1',
      run_at_ms: task.created_at_ms + 5000,
    });
  });

  it('5.3 an empty string is a key like any other', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const task = await client.submit('keyed', null, { key: '' });
    expect(await client.submit('keyed', null, { key: '' })).toEqual(task);
    expect((await client.getByKey('')).id).toBe(task.id);
  });

  const refusals = [
    [{ conflict: 'merge' }, 'unknown conflict strategy: merge'],
    [{ conflict: 'merge', key: 'k' }, 'unknown conflict strategy: merge'],
    [{ conflict: 'toString' }, 'unknown conflict strategy: toString'],
    [{ maxAttempts: 0 }, 'maxAttempts must be >= 1, got 0'],
    [{ maxAttempts: -1 }, 'maxAttempts must be >= 1, got -1'],
    [{ maxAttempts: 1.5 }, 'maxAttempts must be >= 1, got 1.5'],
    [{ maxAttempts: Number.NaN }, 'maxAttempts must be >= 1, got NaN'],
    [{ maxAttempts: Infinity }, 'maxAttempts must be >= 1, got Infinity'],
    [{ runAtDelayMs: -1 }, 'runAtDelayMs must be >= 0, got -1'],
    [{ runAtDelayMs: 0.5 }, 'runAtDelayMs must be >= 0, got 0.5'],
    [{ runAtDelayMs: Number.NaN }, 'runAtDelayMs must be >= 0, got NaN'],
    [{ runAtDelayMs: Infinity }, 'runAtDelayMs must be >= 0, got Infinity'],
  ];
  it.each(refusals)('5.3 %o is refused', async (options, message) => {
    const stage = await setStage(backend);
    const client = stage.client();
    const error = await rejection(client.submit('refused', null, options));
    expect(error.message).toBe(message);
    expect(error.constructor).toBe(Error);
    expect(await client.list()).toEqual([]);
  });

  it('5.3 the checks come in their order: payload, metadata, conflict, attempts, delay, gate', async () => {
    const stage = await setStage(backend);
    const client = stage.client({ maxQueueDepth: 1, maxQueueWaitMs: 20, queuePollIntervalMs: 5 });
    await client.submit('fills the queue');
    const faults = [
      ['payload', Number.NaN, /non-finite number NaN/],
      ['metadata', { n: 1n }, /BigInt/],
      ['conflict', 'merge', /unknown conflict strategy/],
      ['maxAttempts', 0, /maxAttempts/],
      ['runAtDelayMs', -1, /runAtDelayMs/],
    ];
    for (const [i, [, , message]] of faults.entries()) {
      const { payload, ...options } = Object.fromEntries(faults.slice(i));
      expect((await rejection(client.submit('many faults', payload, options))).message).toMatch(
        message,
      );
    }
    expect(await rejection(client.submit('no fault'))).toBeInstanceOf(cairnq.QueueFull);
  });

  it('5.3 a payload is what it was when submit was called', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const payload = { n: 1 };
    const submitted = client.submit('snapshot', payload);
    payload.n = 2;
    expect((await submitted).payload).toEqual({ n: 1 });
  });

  it('5.5 ids are time-ordered Crockford base32', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.worker();
    const before = Date.now();
    const tasks = await Promise.all(Array.from({ length: 50 }, () => client.submit('id')));
    const ids = tasks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^task_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(worker.id).toMatch(/^worker_[0-9A-HJKMNP-TV-Z]{26}$/);
    const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    const digits = [...ids[0].slice(5)].map((digit) => BigInt(alphabet.indexOf(digit)));
    const number = digits.reduce((sum, digit) => sum * 32n + digit, 0n);
    const millis = Number(number >> 80n);
    expect(millis).toBeGreaterThanOrEqual(before - 5);
    expect(millis).toBeLessThanOrEqual(Date.now() + 5);
  });

  it('5.8 submitMany writes a list of tasks in one transaction', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const tasks = await client.submitMany([
      { name: 'a', payload: { n: 1 }, priority: 3 },
      { name: { name: 'b' }, queue: 'mail', maxAttempts: 1, metadata: { m: 1 } },
      { name: 'c', key: 'k' },
      { name: 'c', key: 'k' },
    ]);
    expect(tasks.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'c']);
    expect(tasks[0]).toMatchObject({ payload: { n: 1 }, priority: 3, queue: 'default' });
    expect(tasks[1]).toMatchObject({ payload: {}, queue: 'mail', max_attempts: 1 });
    expect(tasks[3].id).toBe(tasks[2].id);
    expect(await client.list()).toHaveLength(3);
    expect(await client.submitMany([])).toEqual([]);
  });

  it('5.8 submitMany is all or nothing', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submit('taken', null, { key: 'k' });
    const clash = [{ name: 'a' }, { name: 'b', key: 'k', conflict: 'reject' }, { name: 'c' }];
    const error = await rejection(client.submitMany(clash));
    expect(error).toBeInstanceOf(cairnq.AlreadyExists);
    expect(error.key).toBe('k');
    const bad = await rejection(client.submitMany([{ name: 'a' }, { name: 'b', payload: NaN }]));
    expect(bad).toBeInstanceOf(cairnq.SerializationError);
    const wrong = await rejection(
      client.submitMany([{ name: 'a' }, { name: 'b', maxAttempts: 0 }]),
    );
    expect(wrong.message).toBe('maxAttempts must be >= 1, got 0');
    expect(await client.list()).toHaveLength(1);
  });
});
