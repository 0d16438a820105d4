import { expect, it } from 'vitest';
import { rejection, thrown } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

const circular = { name: 'loop' };
circular.self = circular;

class Odd {
  toJSON() {
    return { odd: true };
  }
}

function nested(depth) {
  let value = 'core';
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
  return value;
}

onEveryBackend('3 JSON', (backend) => {
  const refusals = [
    ['NaN', { n: Number.NaN }, 'non-finite number NaN is not JSON-serializable'],
    ['Infinity', Number.POSITIVE_INFINITY, 'non-finite number Infinity is not JSON-serializable'],
    [
      '-Infinity',
      [{ n: [Number.NEGATIVE_INFINITY] }],
      'non-finite number -Infinity is not JSON-serializable',
    ],
    ['undefined in an array', [1, undefined], 'undefined inside an array is not JSON-serializable'],
    [
      'a function in an array',
      { f: [() => {}] },
      'function inside an array is not JSON-serializable',
    ],
    ['a symbol in an array', [Symbol('s')], 'symbol inside an array is not JSON-serializable'],
    ['a function', () => {}, 'value of type function is not JSON-serializable'],
    ['a symbol', Symbol('s'), 'value of type symbol is not JSON-serializable'],
    ['a bigint', { n: 10n }, thrown(() => JSON.stringify({ n: 10n })).message],
    ['a cycle', circular, thrown(() => JSON.stringify(circular)).message],
  ];
  it.each(refusals)('3.1 %s is refused and nothing is written', async (_, value, message) => {
    const stage = await setStage(backend);
    const client = stage.client();
    const uses = [
      () => client.submit('refused', value),
      () => client.submit('refused', null, { metadata: { value } }),
    ];
    // Inside metadata a top-level function or symbol is an object's property, and dropped.
    if (message.startsWith('value of type')) uses.pop();
    for (const use of uses) {
      const error = await rejection(use());
      expect(error).toBeInstanceOf(cairnq.SerializationError);
      expect(error.message).toBe(message);
    }
    expect(await client.list()).toEqual([]);
  });

  it('3.1 an empty slot of an array counts as undefined', async () => {
    const stage = await setStage(backend);
    // biome-ignore lint/suspicious/noSparseArray: the hole is the subject
    const error = await rejection(stage.client().submit('holes', [1, , 3]));
    expect(error).toBeInstanceOf(cairnq.SerializationError);
    expect(error.message).toBe('undefined inside an array is not JSON-serializable');
  });

  it('3.2 undefined, function and symbol properties are dropped', async () => {
    const stage = await setStage(backend);
    const payload = { kept: 1, u: undefined, f() {}, s: Symbol('s'), deep: { u: undefined } };
    const { id } = await stage.client().submit('dropped', payload);
    expect((await stage.client().get(id)).payload).toEqual({ kept: 1, deep: {} });
  });

  it('3.2 Date, Buffer and any toJSON speak for themselves', async () => {
    const stage = await setStage(backend);
    const payload = { at: new Date(0), bytes: Buffer.from('hi'), list: [new Odd()] };
    const { payload: stored } = await stage.client().submit('spoken', payload);
    expect(stored).toEqual(JSON.parse(JSON.stringify(payload)));
  });

  it.each([
    ['Map', { deep: [new Map([[1, 2]])] }],
    ['Map', new Map()],
    ['Set', { tags: new Set(['a']) }],
    ['Set', new Set()],
  ])('3.2 a %s is refused by name', async (name, value) => {
    const stage = await setStage(backend);
    const client = stage.client();
    const error = await rejection(client.submit('refused', value));
    expect(error).toBeInstanceOf(cairnq.SerializationError);
    expect(error.message).toContain(name);
    expect(await client.list()).toEqual([]);
  });

  it('3.2 a Map or Set as a result fails the task instead of storing {}', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ map: () => new Map([[1, 2]]), set: () => ({ tags: new Set(['a']) }) });
    for (const name of ['map', 'set']) {
      const task = await client.wait((await client.submit(name)).id);
      expect(task).toMatchObject({ status: 'failed', attempt: 1, result: null });
      expect(task.error.code).toBe('unserializable_result');
    }
  });

  it('3.3 an absent payload and absent metadata are {}', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    for (const absent of [null, undefined]) {
      const task = await client.submit('absent', absent, { metadata: absent });
      expect(task).toMatchObject({ payload: {}, metadata: {} });
      const row = await stage.row(task.id);
      expect([row.payload, row.metadata]).toEqual(['{}', '{}']);
    }
  });

  const scalars = [0, false, '', 'text', 1.5, -7, true, [], [1, [2]], { a: null }];
  it.each(scalars.map((value) => [JSON.stringify(value), value]))(
    '3.3 3.4 %s is a payload and a result like any other',
    async (_, value) => {
      const stage = await setStage(backend);
      const client = stage.client();
      const seen = [];
      stage.run({
        scalar: (ctx, payload) => {
          seen.push(payload, ctx.payload);
          return payload;
        },
      });
      expect(await client.call('scalar', value)).toEqual(value);
      expect(seen).toEqual([value, value]);
      const [task] = await client.list();
      expect(task).toMatchObject({ payload: value, result: value });
    },
  );

  it('3.3 a result of null or undefined is SQL null', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ nothing: () => {}, null: () => null });
    for (const name of ['nothing', 'null']) {
      const { id } = await client.submit(name);
      expect(await client.wait(id)).toMatchObject({ status: 'succeeded', result: null });
      expect((await stage.row(id)).result).toBe(null);
    }
  });

  it('3.4 lone surrogates, __proto__ keys and long texts come back the same', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ same: (_ctx, payload) => payload });
    const proto = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}');
    const lone = { lone: '\ud800', keyed: { '\udfff': 1 } };
    const values = { proto, text: 'é'.repeat(100_000) };
    if (stage.kind === 'sqlite') Object.assign(values, lone);
    else {
      // jsonb is Unicode: what it cannot hold is refused before anything is written.
      for (const value of Object.values(lone)) {
        const error = await rejection(client.submit('same', { value }));
        expect(error).toBeInstanceOf(cairnq.SerializationError);
      }
    }
    for (const [name, value] of Object.entries(values)) {
      const result = await client.call('same', { value });
      expect(JSON.stringify(result), name).toBe(JSON.stringify({ value }));
    }
    const { payload } = await client.submit('kept', proto);
    expect(Object.keys(payload).sort()).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
  });

  // JSON.stringify itself gives up some thousands deep; what it gives is kept.
  it.each([127, 128, 1000, 1001, 2500])('3.4 nesting %i deep comes back', async (depth) => {
    const stage = await setStage(backend);
    const client = stage.client();
    const value = nested(depth);
    const text = JSON.stringify(value);
    stage.run({ deep: (_ctx, payload) => payload });
    const { id } = await client.submit('deep', value);
    const task = await client.wait(id);
    expect(task.error).toBe(null);
    expect(JSON.stringify(task.payload) === text).toBe(true);
    expect(JSON.stringify(task.result) === text).toBe(true);
  });
});

onBackend('sqlite', '3 JSON', (backend) => {
  it('3.4 a text 10,000 deep that another program wrote is read and worked', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const outside = await stage.world.connection();
    // The outsider's own SQLite may know no JSON as deep as this.
    await outside.sql('pragma ignore_check_constraints = on');
    const text = '['.repeat(10_000) + ']'.repeat(10_000);
    await outside.sql(
      `insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms)
       values ('task_deep', 'deep', 'default', 'queued', ?, 1, 1, 1)`,
      [text],
    );
    const depth = (value) => {
      let levels = 0;
      for (let at = value; Array.isArray(at); at = at[0]) levels += 1;
      return levels;
    };
    expect(depth((await client.get('task_deep')).payload)).toBe(10_000);
    stage.run({ deep: (_ctx, payload) => depth(payload) });
    expect(await client.wait('task_deep')).toMatchObject({ status: 'succeeded', result: 10_000 });
  });

  it('3.4 what another program wrote is read as JSON.parse reads it', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const texts = [
      '{"big":12345678901234567890,"edge":9007199254740993}',
      '{"z":1,"a":2,"10":3,"2":4}',
      '{"a":1,"a":2}',
      '[1e400,-0,1.0,1E2]',
      '{"lone":"\\ud800","slash":"\\/","nul":"x\\u0000y"}',
      ' { "spaced" : [ ] } ',
    ];
    const seen = new Map();
    for (const [i, text] of texts.entries()) {
      await stage.sql(
        `insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms)
         values (?, 'foreign', 'default', 'queued', ?, 1, 1, 1)`,
        [`task_${i}`, text],
      );
      expect((await client.get(`task_${i}`)).payload).toEqual(JSON.parse(text));
    }
    stage.run({ foreign: (ctx, payload) => void seen.set(ctx.taskId, payload) });
    for (const i of texts.keys()) await client.wait(`task_${i}`);
    for (const [i, text] of texts.entries()) {
      const payload = seen.get(`task_${i}`);
      expect(payload).toEqual(JSON.parse(text));
      expect(JSON.stringify(payload)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  it('3.5 a NUL in any value is kept by SQLite', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({
      echo: (_ctx, payload) => payload,
      throws: () => {
        throw new Error('x\0y');
      },
    });
    expect(await client.call('echo', { text: 'x\0y' })).toEqual({ text: 'x\0y' });
    const { id } = await client.submit('throws', null, { maxAttempts: 1 });
    const task = await client.wait(id);
    expect(task.status).toBe('failed');
    expect(task.error.message).toBe('x\0y');
  });
});

onBackend('postgres', '3 JSON', (backend) => {
  it('3.5 a NUL is refused at submit by Postgres', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    for (const use of [
      () => client.submit('nul', { text: 'x\0y' }),
      () => client.submit('nul', { 'x\0y': 1 }),
      () => client.submit('nul', null, { metadata: { text: 'x\0y' } }),
    ]) {
      expect(await rejection(use())).toBeInstanceOf(cairnq.SerializationError);
    }
    expect(await client.list()).toEqual([]);
    // An escaped backslash before u0000 is text, not a NUL.
    expect((await client.submit('text', { text: '\\u0000' })).payload).toEqual({ text: '\\u0000' });
  });

  it('3.5 a NUL in a result or an error never leaves a task stuck on Postgres', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({
      returns: () => 'x\0y',
      throws: () => {
        throw new Error('x\0y');
      },
    });
    const returned = await client.wait((await client.submit('returns')).id);
    expect(returned).toMatchObject({ status: 'failed', attempt: 1 });
    expect(returned.error.code).toBe('unserializable_result');
    const { id } = await client.submit('throws', null, { maxAttempts: 1 });
    expect((await client.wait(id)).error.message).toBe('x\ufffdy');
  });
});
