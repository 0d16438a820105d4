import { describe, expect, it } from 'vitest';
import * as errors from '../../lib/errors.js';

describe('errors of the native side', () => {
  it.each([
    [{ name: 'LostLease', message: 'm', taskId: 't' }, errors.LostLease, { taskId: 't' }],
    [{ name: 'AlreadyExists', message: 'm', key: 'k' }, errors.AlreadyExists, { key: 'k' }],
    [{ name: 'SerializationError', message: 'm' }, errors.SerializationError, { message: 'm' }],
    [
      { name: 'ProtocolVersionMismatch', message: 'm', version: 0 },
      errors.ProtocolVersionMismatch,
      { message: 'storage protocol_version=0, SDK supports 1' },
    ],
    [
      { name: 'Error', message: 'm', code: 'SQLITE_BUSY' },
      Error,
      { code: 'SQLITE_BUSY', message: 'm' },
    ],
  ])('%j is rebuilt', (json, type, fields) => {
    const error = errors.fromNative(json);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject(fields);
    expect(error.name).toBe(json.name);
  });

  it('an error without a code has none', () => {
    expect('code' in errors.fromNative({ name: 'Error', message: 'm', code: null })).toBe(false);
  });

  it('what goes down comes back, however it reads', () => {
    const known = errors.fromNative(JSON.parse(errors.toNative(new TypeError('no'), 3)));
    expect(known).toMatchObject({ message: 'no', thrown: 3 });
    const hostile = new Proxy({}, { get: () => Object.create(null) });
    expect(JSON.parse(errors.toNative(hostile, 4))).toMatchObject({ thrown: 4 });
    expect(JSON.parse(errors.toNative(null, 5))).toMatchObject({ thrown: 5 });
  });
});

describe('isLostLease', () => {
  it('knows ours and one of another copy, and nothing else', () => {
    expect(errors.isLostLease(new errors.LostLease('t'))).toBe(true);
    expect(errors.isLostLease({ name: 'LostLease', taskId: 't' })).toBe(true);
    const hostile = Object.defineProperty({}, 'name', {
      get() {
        throw new Error('boom');
      },
    });
    for (const other of [new Error('x'), null, undefined, 'LostLease', hostile]) {
      expect(errors.isLostLease(other)).toBe(false);
    }
  });
});

describe('names', () => {
  it('are those of the classes, inherited by subclasses, and head the stack', () => {
    for (const [name, type] of Object.entries(errors)) {
      if (type.prototype instanceof errors.CairnQError) expect(type.prototype.name).toBe(name);
    }
    class Mine extends errors.TaskError {}
    const error = new Mine('no');
    expect(error.name).toBe('TaskError');
    expect(Object.keys(error)).not.toContain('name');
    expect(new errors.LostLease('t').stack).toMatch(/^LostLease: lost lease on task t/);
  });
});
