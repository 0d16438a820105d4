import { describe, expect, it } from 'vitest';
import { SerializationError } from '../../lib/errors.js';
import { encode, encodeObject, encodeResult } from '../../lib/json.js';

/** `depth` containers within each other, arrays and objects in turn. */
function nested(depth, core = 1) {
  let value = core;
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value, b: level };
  return value;
}

/** Its text; the engine cannot make it, nor an assertion compare such values. */
function nestedText(depth, core) {
  let text = core;
  for (let level = 0; level < depth; level++) {
    text = level % 2 ? `[${text}]` : `{"a":${text},"b":${level}}`;
  }
  return text;
}

function refusal(value) {
  try {
    encode(value);
  } catch (error) {
    expect(error).toBeInstanceOf(SerializationError);
    return error.message;
  }
  throw new Error('it was encoded');
}

describe('encode', () => {
  it.each([
    ['a payload', { i: 1, s: 'x', n: null, b: true, list: [1, [2], {}], u: undefined, f() {} }],
    ['dates and buffers', { at: new Date(0), bytes: Buffer.from('ab') }],
    ['an own __proto__ key', JSON.parse('{"__proto__":{"a":1},"b":2}')],
    ['a null prototype', Object.assign(Object.create(null), { a: 1 })],
    [
      'a class instance',
      new (class Point {
        x = 1;
      })(),
    ],
    ['boxed values', [new Number(1), new String('a'), new Boolean(false)]],
    ['keys in number order', { b: 1, 2: 1, 1: 1 }],
    ['surrogates', '\ud800 \u{1f600}'],
    ['minus zero', -0],
    ['an array with toJSON', Object.assign([1], { toJSON: () => 'mine' })],
  ])('gives what JSON.stringify gives for %s', (_what, value) => {
    expect(encode(value)).toBe(JSON.stringify(value));
  });

  it.each([
    ['non-finite number NaN is not JSON-serializable', Number.NaN],
    ['non-finite number -Infinity is not JSON-serializable', { a: [1, -Infinity] }],
    ['non-finite number NaN is not JSON-serializable', [new Number(Number.NaN)]],
    ['undefined inside an array is not JSON-serializable', [undefined]],
    ['undefined inside an array is not JSON-serializable', new Array(1)],
    ['function inside an array is not JSON-serializable', { a: [() => {}] }],
    ['symbol inside an array is not JSON-serializable', [Symbol('s')]],
    ['value of type undefined is not JSON-serializable', undefined],
    ['value of type function is not JSON-serializable', () => {}],
    ['value of type symbol is not JSON-serializable', Symbol('s')],
  ])('refuses with: %s', (message, value) => {
    expect(refusal(value)).toBe(message);
  });

  it('names a Map or a Set, however deep', () => {
    expect(refusal(new Map())).toContain('Map');
    expect(refusal({ a: [{ b: new Set([1]) }] })).toContain('Set');
    expect(encode(Object.assign(new Map([[1, 2]]), { toJSON: () => [[1, 2]] }))).toBe('[[1,2]]');
  });

  it("passes the engine's own words on for a BigInt and for a cycle", () => {
    const cycle = { name: 'a' };
    cycle.self = cycle;
    expect(refusal({ n: 1n })).toMatch(/BigInt/);
    expect(refusal(cycle)).toMatch(/circular/i);
  });

  it('turns what a toJSON or a getter throws into a SerializationError with that cause', () => {
    const cause = new Error('not today');
    const value = {
      toJSON() {
        throw cause;
      },
    };
    expect(refusal({ value })).toBe('not today');
    expect(() => encode({ value })).toThrow(expect.objectContaining({ cause }));
  });

  it('encodes deeper than the stack reaches, by the same rules', () => {
    const core = { at: new Date(0), 2: [1, { x: 'é\n"', y: [] }], gone: undefined, 1: null };
    expect(encode(nested(9990, core)) === nestedText(9990, JSON.stringify(core))).toBe(true);
    expect(refusal(nested(9000, [Number.NaN]))).toBe(
      'non-finite number NaN is not JSON-serializable',
    );
    const bottom = {};
    const value = nested(9000, bottom);
    bottom.top = value;
    expect(refusal(value)).toMatch(/circular/i);
  });

  it('refuses nesting without end instead of overflowing', () => {
    expect(refusal(nested(100_000))).toBe('nested more than 10000 levels deep');
  });
});

describe('nothing at all', () => {
  it('is an empty object as a payload and SQL null as a result', () => {
    for (const nothing of [null, undefined]) {
      expect(encodeObject(nothing)).toBe('{}');
      expect(encodeResult(nothing)).toBe('');
    }
  });

  it.each([0, false, '', []])('is not %j', (value) => {
    expect(encodeObject(value)).toBe(JSON.stringify(value));
    expect(encodeResult(value)).toBe(JSON.stringify(value));
  });
});
