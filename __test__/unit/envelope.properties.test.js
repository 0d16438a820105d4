/** Whatever a handler throws or returns: an envelope is made, and JSON is what JSON.stringify would say or is refused. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SerializationError, TaskError } from '../../index.js';
import { encodeEnvelope, givenEnvelope, thrownEnvelope } from '../../lib/envelope.js';
import { encode } from '../../lib/json.js';
import { seed } from '../model/settings.js';

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withBoxedValues: true,
  withSparseArray: true,
});

/** Objects whose every field throws when read, or lies about itself. */
const hostile = fc.oneof(
  anything.map((value) => new Proxy({}, { get: () => fail(value) })),
  anything.map((value) => new Proxy(new Error('x'), { getPrototypeOf: () => fail(value) })),
  anything.map((value) =>
    Object.defineProperty(new Error('x'), 'message', { get: () => fail(value) }),
  ),
  anything.map((value) => Object.assign(new Error('x'), { message: value, name: value })),
  anything.map((value) => Object.assign(Object.create(null), { message: value, name: value })),
  anything.map((value) => new TaskError('x', { code: value, type: value, details: value })),
  anything.map((value) => ({ name: 'TaskError', envelope: () => value })),
  anything.map((value) => ({ name: 'TaskError', envelope: () => fail(value) })),
  anything.map((value) => ({ toString: () => fail(value), toJSON: () => fail(value) })),
  anything.map((value) => Object.assign(() => value, { message: value })),
  fc.constantFrom(Symbol('s'), Symbol.iterator, undefined, null, -0, Number.NaN),
  fc.string().map((text) => new Error(text)),
);

function fail(value) {
  throw value;
}

const check = (property) => fc.assert(property, { seed, numRuns: 500 });

it('4.4 anything thrown becomes an envelope with its five fields', () => {
  check(
    fc.property(fc.oneof(anything, hostile), (thrown) => {
      const text = encodeEnvelope(thrownEnvelope(thrown));
      const envelope = JSON.parse(text);
      expect(Object.keys(envelope).sort()).toEqual(
        ['code', 'details', 'message', 'retryable', 'type'].filter((field) => field in envelope),
      );
      expect(envelope).toHaveProperty('type');
      expect(envelope).toHaveProperty('code');
      expect(envelope).toHaveProperty('message');
      expect(typeof envelope.retryable).toBe('boolean');
      expect(text).not.toContain('\n');
    }),
  );
});

it('4.6 anything given to fail() can be stored', () => {
  check(
    fc.property(fc.oneof(anything, hostile), fc.boolean(), (reason, asked) => {
      const { error, retryable } = givenEnvelope(reason, asked);
      expect(() => JSON.parse(encodeEnvelope(error))).not.toThrow();
      expect(typeof retryable).toBe('boolean');
    }),
  );
});

it('3.1 a value is encoded as JSON.stringify does it, or refused with a SerializationError', () => {
  check(
    fc.property(fc.oneof(anything, hostile), (value) => {
      let text;
      try {
        text = encode(value);
      } catch (error) {
        expect(error).toBeInstanceOf(SerializationError);
        return;
      }
      expect(text).toBe(JSON.stringify(value));
      expect(text).not.toContain('\n');
    }),
  );
});

it('3.4 plain JSON is never refused', () => {
  check(
    fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
      expect(encode(value)).toBe(JSON.stringify(value));
    }),
  );
});
