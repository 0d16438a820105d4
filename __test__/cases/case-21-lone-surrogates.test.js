import { expect, it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';

const lone = 'a\ud800b';

onEveryBackend('case 21: a lone surrogate', (backend) => {
  it('case 21 in a value and in an object key comes back the same', async () => {
    const stage = await setStage(backend);
    if (stage.kind === 'postgres') return expectSameOrRefused(stage);
    const client = stage.client();
    stage.run({ echo: (_ctx, payload) => payload });
    const value = { [lone]: lone };
    expect(JSON.stringify(await client.call('echo', value))).toBe(JSON.stringify(value));
  });

  /** jsonb cannot hold one: a typed error is the other right answer. */
  async function expectSameOrRefused(stage) {
    const outcome = await stage
      .client()
      .submit('echo', { value: lone })
      .catch((error) => error);
    if (outcome instanceof Error) expect(outcome.message).not.toBe('');
    else expect(outcome.payload).toEqual({ value: lone });
  }

  const uses = {
    'a task name': (client) => client.submit(lone),
    'a queue': (client) => client.submit('n', null, { queue: lone }),
    'a key': (client) => client.submit('n', null, { key: lone }),
    'a correlation id': (client) => client.submit('n', null, { correlationId: lone }),
    'an id to look up': (client) => client.get(lone),
  };
  it.each(Object.keys(uses))(
    'case 21 in %s comes back the same or is refused with an error',
    async (name) => {
      const stage = await setStage(backend);
      const client = stage.client();
      const outcome = await uses[name](client).catch((error) => error);
      if (outcome instanceof Error) {
        expect(outcome.message).toMatch(/surrogate|unicode|well-formed|UTF/i);
      } else if (name === 'a key') {
        expect((await client.getByKey(lone)).id).toBe(outcome.id);
      } else if (name !== 'an id to look up') {
        expect(Object.values(outcome)).toContain(lone);
      }
      // Whatever the answer was, the client still works.
      expect((await client.submit('after')).status).toBe('queued');
    },
  );
});
