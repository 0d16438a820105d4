import { expect, it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 24: anything can be thrown', (backend) => {
  const values = {
    undefined: undefined,
    null: null,
    'a string': 'x',
    'a symbol': Symbol('x'),
    'a frozen object': Object.freeze({ a: 1 }),
    'an object without a prototype': Object.create(null),
    'a proxy whose message getter throws': new Proxy(
      {},
      {
        get() {
          throw new Error('trap');
        },
      },
    ),
    'a revoked proxy': (() => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    })(),
    'a function': () => {},
  };
  it.each(Object.keys(values))(
    'case 24 %s: failed with a text, slot freed, retried by the rules',
    async (name) => {
      const stage = await setStage(backend);
      const client = stage.client();
      stage.run(
        {
          odd: () => {
            throw values[name];
          },
          next: () => 'next',
        },
        { retryBackoffMs: 0, pollIntervalMs: 60_000 },
      );
      const { id } = await client.submit('odd', null, { maxAttempts: 2 });
      const task = await client.wait(id);
      expect(task).toMatchObject({ status: 'failed', attempt: 2, error: { retryable: true } });
      expect(task.error.message).toEqual(expect.stringMatching(/./));
      expect(await client.call('next')).toBe('next');
      expect(stage.reports).toEqual([]);
    },
  );
});
