import { expect, it } from 'vitest';
import { rejection, within } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

/** A store whose queueDepth answers from `depths` in turn (its last answer for ever), counting the asks. */
function answering(store, ...depths) {
  const asked = [];
  store.queueDepth = (queue, max) => {
    asked.push({ queue, max, at: performance.now() });
    return Promise.resolve(depths.length > 1 ? depths.shift() : depths[0]);
  };
  return asked;
}

onEveryBackend('7.1 backpressure', (backend) => {
  it('7.1 limitFor: a number bounds every queue, a record only its own', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const every = new cairnq.QueueDepthGate(store, { maxQueueDepth: 5 });
    expect(every.limitFor('anything')).toBe(5);
    const own = new cairnq.QueueDepthGate(store, { maxQueueDepth: { mail: 3 } });
    expect(own.limitFor('mail')).toBe(3);
    for (const queue of ['other', 'constructor', 'toString', '__proto__']) {
      expect(own.limitFor(queue) ?? null, queue).toBe(null);
      await within(1000, own.acquire(queue), 'an unbounded queue');
    }
  });

  it.each([
    [0, 'maxQueueDepth for * must be an integer >= 1, got 0'],
    [-3, 'maxQueueDepth for * must be an integer >= 1, got -3'],
    [1.5, 'maxQueueDepth for * must be an integer >= 1, got 1.5'],
    [Number.NaN, 'maxQueueDepth for * must be an integer >= 1, got NaN'],
    [{ mail: 0 }, 'maxQueueDepth for mail must be an integer >= 1, got 0'],
    [{ ok: 1, mail: 2.5 }, 'maxQueueDepth for mail must be an integer >= 1, got 2.5'],
  ])('7.1 a maximum of %o is refused', async (maxQueueDepth, message) => {
    const stage = await setStage(backend);
    const store = stage.store();
    expect(() => new cairnq.QueueDepthGate(store, { maxQueueDepth })).toThrow(message);
    expect(() => new cairnq.CairnQ(store, { maxQueueDepth })).toThrow(message);
    expect(() => new cairnq.Worker(store, ['default'], { maxQueueDepth })).toThrow(message);
  });

  it('7.1 a full queue makes submit wait until there is room', async () => {
    const stage = await setStage(backend);
    const client = stage.client({ maxQueueDepth: 2, queuePollIntervalMs: 10 });
    const first = await client.submit('fills');
    await client.submit('fills');
    let written = false;
    const third = client.submit('third').then((task) => {
      written = true;
      return task;
    });
    // Another queue is not bounded by this one, and takes a full round trip meanwhile.
    await client.submit('elsewhere', null, { queue: 'elsewhere' });
    expect(written).toBe(false);
    expect(await client.list({ name: 'third' })).toEqual([]);
    await client.cancel(first.id);
    expect((await within(5000, third, 'the third submit')).status).toBe('queued');
  });

  it('7.1 over the maximum wait, QueueFull and nothing written', async () => {
    const stage = await setStage(backend);
    const client = stage.client({ maxQueueDepth: 1, maxQueueWaitMs: 80, queuePollIntervalMs: 10 });
    await client.submit('fills');
    const error = await rejection(client.submit('refused'));
    expect(error).toBeInstanceOf(cairnq.QueueFull);
    expect(error).toMatchObject({ queue: 'default', maxDepth: 1 });
    expect(error.waitedMs).toBeGreaterThanOrEqual(80);
    expect(error.waitedMs).toBeLessThan(2000);
    expect(error.message).toBe(
      `queue default still holds 1 or more queued tasks after ${error.waitedMs}ms; refusing to enqueue more`,
    );
    expect(await client.list()).toHaveLength(1);
  });

  it('7.1 one probe grants at most 64 submits, and all waiters of a queue share it', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const gate = new cairnq.QueueDepthGate(store, { maxQueueDepth: 1000 });
    const asked = answering(store, 1000);
    await Promise.all(Array.from({ length: 128 }, () => gate.acquire('default')));
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ queue: 'default', max: 1000 });
    const small = answering(store, 10);
    await Promise.all(Array.from({ length: 40 }, () => gate.acquire('small')));
    expect(small).toHaveLength(4);
  });

  it('7.1 while full, the wait between probes doubles', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const gate = new cairnq.QueueDepthGate(store, {
      maxQueueDepth: 1,
      queuePollIntervalMs: 50,
      maxQueueWaitMs: 10_000,
    });
    const asked = answering(store, 0, 0, 0, 0, 1);
    await gate.acquire('default');
    const gaps = asked.slice(1).map(({ at }, i) => at - asked[i].at);
    expect(gaps).toHaveLength(4);
    for (const [i, least] of [50, 100, 200, 400].entries()) {
      expect(gaps[i]).toBeGreaterThanOrEqual(least - 5);
      expect(gaps[i]).toBeLessThan(least + 300);
    }
  });

  it('7.1 a probe that fails rejects the submits that waited for it, and the next one asks again', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store, maxQueueDepth: 10 });
    const genuine = store.queueDepth;
    store.queueDepth = () => Promise.reject(new Error('no answer'));
    const errors = await Promise.all([1, 2].map(() => rejection(client.submit('probed'))));
    expect(errors.map(({ message }) => message)).toEqual(['no answer', 'no answer']);
    store.queueDepth = genuine;
    expect((await client.submit('probed')).status).toBe('queued');
  });

  it('7.1 the gate hangs on the store: ctx.submit passes it too', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const errors = [];
    stage.run(
      {
        parent: async (ctx) => {
          await ctx.submit('child', null, { queue: 'children' });
          errors.push(await rejection(ctx.submit('child', null, { queue: 'children' })));
        },
      },
      {
        store,
        maxQueueDepth: { children: 1 },
        maxQueueWaitMs: 40,
        queuePollIntervalMs: 10,
      },
    );
    await client.call('parent');
    expect(errors[0]).toBeInstanceOf(cairnq.QueueFull);
    // The client shares the store, so the worker's limit is its limit.
    expect(await rejection(client.submit('child', null, { queue: 'children' }))).toBeInstanceOf(
      cairnq.QueueFull,
    );
  });

  it('7.1 store.useBackpressure bounds every user of the store', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    store.useBackpressure(1, { maxQueueWaitMs: 30, queuePollIntervalMs: 10 });
    const client = stage.client({ store });
    await client.submit('fills');
    expect(await rejection(client.submit('refused'))).toBeInstanceOf(cairnq.QueueFull);
  });

  it('7.1 submitMany asks for as many as it submits', async () => {
    const stage = await setStage(backend);
    const client = stage.client({ maxQueueDepth: 5, maxQueueWaitMs: 60, queuePollIntervalMs: 10 });
    const many = (n) => client.submitMany(Array.from({ length: n }, () => ({ name: 'many' })));
    expect(await many(4)).toHaveLength(4);
    expect(await rejection(many(2))).toBeInstanceOf(cairnq.QueueFull);
    expect(await client.list()).toHaveLength(4);
    expect(await many(1)).toHaveLength(1);
  });
});
