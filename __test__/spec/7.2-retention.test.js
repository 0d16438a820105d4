import { expect, it } from 'vitest';
import { deferred, pass, until, within } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

async function ended(stage, client, n, status = 'canceled') {
  const tasks = await client.submitMany(Array.from({ length: n }, () => ({ name: 'old' })));
  await stage.sql(`update cairnq_tasks set status = '${status}', completed_at_ms = 1
    where status = 'queued'`);
  return tasks.map(({ id }) => id);
}

onEveryBackend('7.2 retention', (backend) => {
  it('7.2 sweep purges through the store until fewer than the limit come back', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    await ended(stage, client, 25);
    const kept = await client.submit('kept');
    const calls = [];
    const purge = store.purge.bind(store);
    store.purge = (options) => {
      calls.push(options);
      return purge(options);
    };
    const sweeper = new cairnq.RetentionSweeper(store, { olderThanMs: 1000, limit: 10 });
    expect(await sweeper.sweep()).toBe(25);
    expect(calls).toHaveLength(3);
    expect(calls[0]).toMatchObject({ olderThanMs: 1000, limit: 10 });
    expect((await client.list()).map(({ id }) => id)).toEqual([kept.id]);
    expect(await sweeper.sweep()).toBe(0);
  });

  it('7.2 sleeps first, then sweeps on schedule until stopped', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    let sweeps = 0;
    store.purge = () => {
      sweeps += 1;
      return Promise.resolve([]);
    };
    const sweeper = new cairnq.RetentionSweeper(store, { olderThanMs: 0, intervalMs: 60 });
    sweeper.start();
    expect(sweeps).toBe(0);
    await until(() => sweeps >= 2);
    await sweeper.stop();
    const stopped = sweeps;
    await pass(150);
    expect(sweeps).toBe(stopped);
  });

  it('7.2 a client sweeps by itself when told to, and stops when closed', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store, retention: { olderThanMs: 1000, intervalMs: 20 } });
    await client.connect();
    await ended(stage, client, 3);
    await until(async () => (await stage.sql('select id from cairnq_tasks')).length === 0);
    await client.close();
    const other = stage.client({ store: stage.store() });
    await ended(stage, other, 1);
    await pass(100);
    expect(await other.list()).toHaveLength(1);
  });

  it('7.2 an error goes to onError and the schedule goes on', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const errors = [];
    let asked = 0;
    store.purge = () => {
      asked += 1;
      return asked === 1 ? Promise.reject(new Error('not now')) : Promise.resolve([]);
    };
    const onError = (error) => {
      errors.push(error.message);
      throw new Error('a reporter that fails');
    };
    const sweeper = new cairnq.RetentionSweeper(store, { olderThanMs: 0, intervalMs: 20, onError });
    sweeper.start();
    await until(() => asked >= 3);
    await sweeper.stop();
    expect(errors).toEqual(['not now']);
  });

  it('7.2 stop returns when the sweep in flight has', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const under = deferred();
    const started = deferred();
    store.purge = async () => {
      started.resolve();
      await under.promise;
      return [];
    };
    const sweeper = new cairnq.RetentionSweeper(store, { olderThanMs: 0, intervalMs: 10 });
    sweeper.start();
    await started.promise;
    let stopped = false;
    const stopping = Promise.resolve(sweeper.stop()).then(() => {
      stopped = true;
    });
    await pass(50);
    expect(stopped).toBe(false);
    under.resolve();
    await within(2000, stopping, 'stop()');
  });

  it.each([
    [{ olderThanMs: -1 }, 'retention.olderThanMs must be >= 0, got -1'],
    [{ olderThanMs: Number.NaN }, 'retention.olderThanMs must be >= 0, got NaN'],
    [{ olderThanMs: 0, intervalMs: 0 }, 'retention.intervalMs must be >= 1, got 0'],
    [{ olderThanMs: 0, intervalMs: -7 }, 'retention.intervalMs must be >= 1, got -7'],
  ])('7.2 %o is refused', async (options, message) => {
    const stage = await setStage(backend);
    const store = stage.store();
    expect(() => new cairnq.RetentionSweeper(store, options)).toThrow(message);
    expect(() => new cairnq.CairnQ(store, { retention: options })).toThrow(message);
  });

  it('7.2 an interval past 2^31 ms is a long interval', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    let sweeps = 0;
    store.purge = () => {
      sweeps += 1;
      return Promise.resolve([]);
    };
    const sweeper = new cairnq.RetentionSweeper(store, { olderThanMs: 0, intervalMs: 2 ** 31 + 5 });
    sweeper.start();
    await pass(100);
    expect(sweeps).toBe(0);
    await within(2000, Promise.resolve(sweeper.stop()), 'stop()');
  });

  it('7.2 never keeps the process alive', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('retention.js');
    await peer.event('submitted');
    expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
  });

  it('5.8 retention.olderThanMs may be a map by status', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    await ended(stage, client, 2, 'failed');
    await ended(stage, client, 3, 'succeeded');
    const olderThanMs = { succeeded: 1000 };
    const sweeper = new cairnq.RetentionSweeper(store, { olderThanMs });
    expect(await sweeper.sweep()).toBe(3);
    expect((await client.list()).map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(() => new cairnq.RetentionSweeper(store, { olderThanMs: { failed: -1 } })).toThrow(
      'must be >= 0, got -1',
    );
  });
});
