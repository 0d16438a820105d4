import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { encodeEnvelope, givenEnvelope, thrownEnvelope } from '../../lib/envelope.js';
import { TaskError } from '../../lib/errors.js';

const handlerError = (type, message) => ({
  type,
  code: 'handler_error',
  message,
  retryable: true,
  details: {},
});
const taskError = (message) => ({ ...handlerError('TaskError', message), code: 'task_error' });

class Custom extends Error {
  name = 'CustomError';
}

/** As another copy of the SDK would throw it. */
const foreignTaskError = Object.assign(new Error('theirs'), {
  name: 'TaskError',
  envelope: () => ({ type: 'T', code: 'theirs', message: 'theirs', retryable: true }),
});

describe('what a handler throws', () => {
  it.each([
    ['an Error', new TypeError('no'), handlerError('TypeError', 'no')],
    ['an Error with a name of its own', new Custom('no'), handlerError('CustomError', 'no')],
    [
      'an Error of another realm',
      runInNewContext("new RangeError('far')"),
      handlerError('RangeError', 'far'),
    ],
    [
      'a frozen object',
      Object.freeze({ name: 'Ice', message: 'cold' }),
      handlerError('Ice', 'cold'),
    ],
    [
      'an object that says not to retry',
      { message: 'm', retryable: false },
      handlerError('Error', 'm'),
    ],
    ['a bare object', { a: 1 }, handlerError('Error', '[object Object]')],
    ['a text', 'x', taskError('x')],
    ['null', null, taskError('null')],
    ['undefined', undefined, taskError('undefined')],
    ['a symbol', Symbol('s'), taskError('Symbol(s)')],
    ['a BigInt', 5n, taskError('5')],
  ])('%s', (_what, thrown, envelope) => {
    expect(thrownEnvelope(thrown)).toEqual(envelope);
  });

  it('a TaskError keeps its fields and its own retryability', () => {
    const mine = new TaskError('no', { code: 'c', type: 'T', details: { a: 1 } });
    expect(thrownEnvelope(mine)).toEqual({
      type: 'T',
      code: 'c',
      message: 'no',
      retryable: false,
      details: { a: 1 },
    });
    expect(thrownEnvelope(foreignTaskError)).toEqual({
      type: 'T',
      code: 'theirs',
      message: 'theirs',
      retryable: true,
      details: {},
    });
  });

  it('a subclass of TaskError that renames itself is still one', () => {
    class Mine extends TaskError {
      name = 'Mine';
    }
    expect(thrownEnvelope(new Mine('no', { code: 'c' }))).toMatchObject({
      code: 'c',
      message: 'no',
    });
  });

  const boom = () => {
    throw new Error('boom');
  };
  it.each([
    ['a proxy that answers nothing', new Proxy({}, { get: boom, getPrototypeOf: boom })],
    ['a message getter that throws', Object.defineProperty({}, 'message', { get: boom })],
    ['a name getter that throws', Object.defineProperty(new Error('x'), 'name', { get: boom })],
    ['a message without a text form', { message: Object.create(null) }],
    ['a revoked proxy', revoked()],
    [
      'a TaskError whose envelope throws',
      Object.assign(new Error('x'), { name: 'TaskError', envelope: boom }),
    ],
    [
      'a TaskError without an envelope',
      Object.assign(new Error('x'), { name: 'TaskError', envelope: () => null }),
    ],
  ])('%s still fails the task with a text', (_what, thrown) => {
    expect(thrownEnvelope(thrown)).toEqual(
      handlerError('Error', 'the thrown value could not be read'),
    );
  });
});

describe('what ctx.fail is given', () => {
  it('a plain object is stored as it is, retried as the caller says', () => {
    const reason = { anything: 1, retryable: true };
    expect(givenEnvelope(reason, false)).toEqual({ error: reason, retryable: false });
  });

  it('anything else becomes an envelope with the caller’s retryability', () => {
    expect(givenEnvelope('no', false)).toEqual({
      error: { ...taskError('no'), retryable: false },
      retryable: false,
    });
    expect(givenEnvelope(new Custom('no'), false).error).toMatchObject({
      type: 'CustomError',
      retryable: false,
    });
  });

  it('a TaskError brings its own', () => {
    expect(givenEnvelope(new TaskError('no'), true).retryable).toBe(false);
    expect(givenEnvelope(new TaskError('no', { retryable: true }), false).retryable).toBe(true);
  });
});

describe('an envelope that is not JSON', () => {
  it('is cut down to its texts', () => {
    const envelope = { type: 'T', code: 7, message: 'm', retryable: 1, details: { n: 1n } };
    expect(JSON.parse(encodeEnvelope(envelope))).toEqual({
      type: 'T',
      code: '7',
      message: 'm',
      retryable: true,
      details: {},
    });
  });

  it('is so even when it cannot be read', () => {
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error('boom');
        },
      },
    );
    expect(JSON.parse(encodeEnvelope(hostile))).toEqual({
      type: 'Error',
      code: 'handler_error',
      message: 'the thrown value could not be read',
      retryable: false,
      details: {},
    });
  });
});

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
