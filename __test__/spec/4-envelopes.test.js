import { expect, it } from 'vitest';
import { rejection } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

/** The task after a handler that does `act` has had its one attempt (or more when `maxAttempts` says so). */
async function ended(backend, act, { maxAttempts = 1, ...options } = {}) {
  const stage = await setStage(backend);
  const client = stage.client();
  stage.run({ acts: act }, { retryBackoffMs: 0, ...options });
  const { id } = await client.submit('acts', null, { maxAttempts });
  return { stage, task: await client.wait(id) };
}

function throwing(value) {
  return () => {
    throw value;
  };
}

const badMessage = new Proxy(
  {},
  {
    get() {
      throw new Error('not to be read');
    },
    getPrototypeOf() {
      throw new Error('not to be asked');
    },
  },
);
const badGetter = Object.defineProperty(new Error('hidden'), 'message', {
  get() {
    throw new Error('not to be read');
  },
});
const badString = {
  toString() {
    throw new Error('not to be printed');
  },
};

onEveryBackend('4 envelopes', (backend) => {
  it('4.3 4.4 a TaskError gives its own envelope and its own retryability', async () => {
    const final = new cairnq.TaskError('bad card', { code: 'card', details: { last4: '1234' } });
    const first = await ended(backend, throwing(final), { maxAttempts: 3 });
    expect(first.task).toMatchObject({ status: 'failed', attempt: 1, error: final.envelope() });
    const retryable = new cairnq.TaskError('later', { retryable: true });
    const second = await ended(backend, throwing(retryable), { maxAttempts: 2 });
    expect(second.task).toMatchObject({ status: 'failed', attempt: 2 });
    expect(second.task.error).toEqual(retryable.envelope());
  });

  const named = Object.assign(new Error('lost at sea'), { name: 'ShipError' });
  class Custom extends Error {}
  const table = [
    ['an Error', new TypeError('no such thing'), ['TypeError', 'handler_error', 'no such thing']],
    ['an Error with a name', named, ['ShipError', 'handler_error', 'lost at sea']],
    ['a subclass', new Custom('own'), ['Error', 'handler_error', 'own']],
    [
      'an object with a message',
      { name: 'Odd', message: 'object text', retryable: false },
      ['Odd', 'handler_error', 'object text'],
    ],
    ['a bare object', { code: 5 }, ['Error', 'handler_error', '[object Object]']],
    ['a frozen object', Object.freeze({ message: 'cold' }), ['Error', 'handler_error', 'cold']],
    ['a string', 'x', ['TaskError', 'task_error', 'x']],
    ['undefined', undefined, ['TaskError', 'task_error', 'undefined']],
    ['null', null, ['TaskError', 'task_error', 'null']],
    ['a number', 7, ['TaskError', 'task_error', '7']],
    ['a symbol', Symbol('sign'), ['TaskError', 'task_error', 'Symbol(sign)']],
    ['a bigint', 10n, ['TaskError', 'task_error', '10']],
  ];
  it.each(table)('4.4 thrown: %s', async (_, value, [type, code, message]) => {
    const { task } = await ended(backend, throwing(value), { maxAttempts: 2 });
    expect(task).toMatchObject({ status: 'failed', attempt: 2 });
    expect(task.error).toEqual({ type, code, message, retryable: true, details: {} });
  });

  it.each([
    ['a proxy whose traps throw', badMessage],
    ['an Error whose message throws', badGetter],
    ['an object that cannot be printed', badString],
  ])('4.4 thrown: %s still fails its task', async (_, value) => {
    const { task } = await ended(backend, throwing(value), { maxAttempts: 2 });
    expect(task).toMatchObject({ status: 'failed', attempt: 2 });
    expect(task.error.message).toEqual(expect.any(String));
    expect(task.error.message).not.toBe('');
    expect(task.error.retryable).toBe(true);
  });

  it('4.4 ctx.fail stores a plain object as it is', async () => {
    const own = { kind: 'mine', list: [1] };
    const { task } = await ended(backend, (ctx) => ctx.fail(own, { retryable: false }));
    expect(task).toMatchObject({ status: 'failed', attempt: 1, error: own });
  });

  it('4.4 ctx.fail is retryable unless the caller says otherwise', async () => {
    const again = await ended(backend, (ctx) => ctx.fail('no luck'), { maxAttempts: 2 });
    expect(again.task).toMatchObject({ status: 'failed', attempt: 2 });
    expect(again.task.error).toEqual({
      type: 'TaskError',
      code: 'task_error',
      message: 'no luck',
      retryable: true,
      details: {},
    });
    const final = await ended(
      backend,
      (ctx) => ctx.fail(new RangeError('far'), { retryable: false }),
      {
        maxAttempts: 2,
      },
    );
    expect(final.task).toMatchObject({ status: 'failed', attempt: 1 });
    expect(final.task.error).toMatchObject({
      type: 'RangeError',
      message: 'far',
      retryable: false,
    });
  });

  it('4.4 ctx.fail without a reason says that the task failed', async () => {
    const { task } = await ended(backend, (ctx) => ctx.fail());
    expect(task.error.message).toBe('task failed');
  });

  it('4.5 a handler over its time', async () => {
    const { task } = await ended(backend, () => new Promise(() => {}), { maxRunMs: 120 });
    expect(task.error).toEqual({
      type: 'HandlerTimeout',
      code: 'handler_timeout',
      message: 'handler for acts exceeded maxRunMs=120ms; the attempt was abandoned',
      retryable: true,
      details: {},
    });
  });

  it.each([
    ['a bigint', () => ({ n: 10n })],
    ['NaN', () => Number.NaN],
    ['undefined in an array', () => [undefined]],
    [
      'a toJSON that throws',
      () => ({
        toJSON() {
          throw new Error('not me');
        },
      }),
    ],
  ])('4.5 a result that is not JSON: %s', async (_, act) => {
    const { task } = await ended(backend, act, { maxAttempts: 3 });
    expect(task).toMatchObject({ status: 'failed', attempt: 1, result: null });
    expect(task.error).toEqual({
      type: 'SerializationError',
      code: 'unserializable_result',
      message: expect.stringMatching(/^handler result is not JSON-serializable: ./),
      retryable: false,
      details: {},
    });
  });

  const circular = {};
  circular.self = circular;
  it.each([
    ['a bigint', { n: 10n }],
    ['a cycle', circular],
    ['NaN', { n: Number.NaN }],
  ])('4.6 an envelope whose details hold %s is reduced to its texts', async (_, details) => {
    const error = new cairnq.TaskError('bad', { type: 'T', code: 'c', details });
    const thrown = await ended(backend, throwing(error));
    const reduced = { type: 'T', code: 'c', message: 'bad', retryable: false, details: {} };
    expect(thrown.task).toMatchObject({ status: 'failed', error: reduced });
    const given = { type: 'T', code: 7, message: 'bad', retryable: true, details };
    const passed = await ended(backend, (ctx) => ctx.fail(given));
    expect(passed.task.error).toEqual({ ...reduced, code: '7', retryable: true });
  });

  it('4.4 a cause that refers to itself does no harm', async () => {
    const error = new Error('outer');
    error.cause = error;
    const { task } = await ended(backend, throwing(error));
    expect(task.error).toMatchObject({ type: 'Error', message: 'outer' });
  });
});

onBackend('sqlite', '4.7 database errors', (backend) => {
  it("4.7 keep the driver's code", async () => {
    const stage = await setStage(backend);
    const client = stage.client({ store: stage.store({ busyTimeoutMs: 50 }) });
    await client.connect();
    const holder = await stage.world.connection();
    await holder.sql('begin immediate');
    const error = await rejection(client.submit('blocked'));
    expect(error).toBeInstanceOf(Error);
    expect(error.code).toBe('SQLITE_BUSY');
    expect(error.message).toMatch(/locked|busy/i);
    await holder.sql('rollback');
    expect((await client.submit('free again')).status).toBe('queued');
  });
});
