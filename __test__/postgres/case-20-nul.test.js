import { expect, it } from 'vitest';
import { SerializationError } from '../../index.js';
import { rejection } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';

const NUL = 'x\0y';

onBackend('postgres', 'case 20: a NUL character where Postgres takes none', (backend) => {
  const submits = {
    'a payload': (client) => client.submit('n', NUL),
    'a nested payload': (client) => client.submit('n', { deep: [{ [NUL]: 1 }] }),
    'one of many payloads': (client) =>
      client.submitMany([{ name: 'n' }, { name: 'n', payload: NUL }]),
    'the payload of a keyed submit': (client) => client.submit('n', NUL, { key: 'k' }),
    metadata: (client) => client.submit('n', null, { metadata: { NUL } }),
  };
  it.each(Object.keys(submits))('case 20 in %s: refused, and nothing is written', async (name) => {
    const stage = await setStage(backend);
    const client = stage.client();
    expect(await rejection(submits[name](client))).toBeInstanceOf(SerializationError);
    expect(await client.list()).toEqual([]);
    expect(await client.getByKey('k')).toBe(null);
  });

  const texts = {
    'a task name': (client) => client.submit(NUL),
    'a queue': (client) => client.submit('n', null, { queue: NUL }),
    'a key': (client) => client.submit('n', null, { key: NUL }),
    'a correlation id': (client) => client.submit('n', null, { correlationId: NUL }),
  };
  it.each(Object.keys(texts))(
    'case 20 in %s: a clear error, and nothing is written',
    async (name) => {
      const stage = await setStage(backend);
      const client = stage.client();
      const error = await rejection(texts[name](client));
      expect(error.message).toMatch(/NUL|\\u0000|0x00|null character/i);
      expect(await client.list()).toEqual([]);
    },
  );

  it('case 20 looked up: there is no such thing', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submit('n');
    expect(await client.get(NUL)).toBe(null);
    expect(await client.getByKey(NUL)).toBe(null);
    expect(await client.getStatus(NUL)).toBe(null);
    expect(await client.cancel(NUL)).toBe(null);
    expect(await client.retryByKey(NUL)).toBe(null);
    expect(await client.list({ name: NUL })).toEqual([]);
    expect(await client.list({ queue: NUL })).toEqual([]);
    expect(await client.list({ rootId: NUL })).toEqual([]);
    expect(await client.purge({ queue: NUL })).toEqual([]);
    expect(await client.queueDepth(NUL, 5)).toBe(5);
    expect(Object.values((await client.stats(NUL))[NUL])).toEqual([0, 0, 0, 0, 0]);
  });

  it('case 20 in one of many results: only that task fails, and its neighbours are kept', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({
      batch: [
        { batch: 10 },
        (contexts) =>
          Object.fromEntries(
            contexts.map(({ taskId, payload }) => [taskId, payload ? NUL : 'fine']),
          ),
      ],
    });
    const tasks = await client.submitMany(
      Array.from({ length: 10 }, (_, i) => ({ name: 'batch', payload: i === 3 ? 1 : 0 })),
    );
    const ended = await Promise.all(tasks.map(({ id }) => client.wait(id)));
    expect(ended.map(({ status }) => status)).toEqual(
      ended.map((_, i) => (i === 3 ? 'failed' : 'succeeded')),
    );
    expect(ended[3].error).toMatchObject({ code: 'unserializable_result', retryable: false });
  });

  it('case 20 in an envelope of its own and in its details: U+FFFD', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const details = { [NUL]: [NUL], deeper: { text: NUL } };
    stage.run({
      fails: (ctx) =>
        ctx.fail(
          { type: NUL, code: NUL, message: NUL, retryable: false, details },
          { retryable: false },
        ),
    });
    const { id } = await client.submit('fails');
    const clean = 'x\ufffdy';
    expect((await client.wait(id)).error).toEqual({
      type: clean,
      code: clean,
      message: clean,
      retryable: false,
      details: { [clean]: [clean], deeper: { text: clean } },
    });
  });
});
