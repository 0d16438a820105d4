import { expect, it } from 'vitest';
import { rejection } from '../spec/events.js';
import { cairnq, onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 23: values with a will of their own', (backend) => {
  it('case 23 a toJSON that throws refuses the submit, and nothing is written', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const payload = {
      toJSON() {
        throw new Error('not to be written');
      },
    };
    const error = await rejection(client.submit('odd', payload));
    expect(error.message).toContain('not to be written');
    expect(await client.list()).toEqual([]);
  });

  it('case 23 a Map is refused, a Date is its text', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const error = await rejection(client.submit('odd', { when: new Date(0), map: new Map() }));
    expect(error).toBeInstanceOf(cairnq.SerializationError);
    const { payload } = await client.submit('odd', { when: new Date(0) });
    expect(payload).toEqual({ when: '1970-01-01T00:00:00.000Z' });
  });

  it('case 23 an error whose cause is circular fails its task and nothing else', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({
      odd: () => {
        const error = new Error('round and round');
        error.cause = { error };
        error.details = error.cause;
        throw error;
      },
      next: () => 'next',
    });
    const { id } = await client.submit('odd', null, { maxAttempts: 1 });
    expect((await client.wait(id)).error).toMatchObject({
      type: 'Error',
      message: 'round and round',
    });
    expect(await client.call('next')).toBe('next');
  });
});
