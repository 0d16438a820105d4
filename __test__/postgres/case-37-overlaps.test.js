import { expect, it } from 'vitest';
import { LostLease } from '../../index.js';
import { until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { ownServer } from './reach.js';

const TASKS = 300;

onBackend('postgres', 'case 37: one row wanted by many', (backend) => {
  it('case 37 batches settled, cancelled, renewed and purged at once: no deadlock gets out', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const stores = Array.from({ length: 4 }, () => stage.store());
    for (let round = 0; round < 4; round++) {
      const tasks = await client.submitMany(
        Array.from({ length: TASKS }, () => ({ name: 'batch', maxAttempts: 1 })),
      );
      const ids = tasks.map(({ id }) => id);
      const backwards = [...ids].reverse();
      const workerId = `worker_${round}`;
      await client.store.claim({ queues: ['default'], workerId, limit: TASKS });
      const settled = (store, order) =>
        order.map((taskId) =>
          store.complete({ taskId, workerId, result: null }).catch((error) => error),
        );
      const answers = await Promise.all([
        ...settled(stores[0], ids.slice(0, 200)),
        ...settled(stores[1], backwards.slice(0, 200)),
        ...backwards.map((id) => client.cancel(id)),
        stores[2].heartbeatBatch({ taskIds: backwards, workerId, leaseMs: 30_000 }),
        stores[3].heartbeatBatch({ taskIds: ids, workerId, leaseMs: 30_000 }),
        ...Array.from({ length: 10 }, (_, i) => stores[i % 4].purge({ limit: 50 })),
      ]);
      for (const answer of answers)
        if (answer instanceof Error) expect(answer).toBeInstanceOf(LostLease);
      await until(async () => {
        await client.purge();
        return (await client.list()).length === 0;
      });
    }
    const [{ deadlocks }] = await stage.sql(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(deadlocks).toBe(0);
  });

  it('case 37 a worker under fire from cancels and purges ends every task', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = { concurrency: 2, pollIntervalMs: 20 };
    const handlers = {
      batch: [{ batch: 50 }, () => ({})],
      fails: () => {
        throw new Error('on purpose');
      },
    };
    stage.run(handlers, { ...worker, store: stage.store() });
    stage.run(handlers, { ...worker, store: stage.store() });
    const ids = [];
    const all = [];
    for (let i = 0; i < 10; i++) {
      const tasks = await client.submitMany(
        Array.from({ length: 100 }, (_, n) => ({
          name: n % 10 ? 'batch' : 'fails',
          maxAttempts: 1,
        })),
      );
      ids.push(...tasks.map(({ id }) => id));
      all.push(...tasks.filter((_, n) => n % 3 === 0).map(({ id }) => client.cancel(id)));
      all.push(client.purge({ status: 'canceled' }), client.purge({ status: 'failed', limit: 5 }));
    }
    await Promise.all(all);
    await until(async () => {
      const [{ n }] = await stage.sql(
        "select count(*) as n from cairnq_tasks where status in ('queued', 'running')",
      );
      return n === 0;
    });
    expect(stage.reports).toEqual([]);
  });

  it('case 37 idle_in_transaction_session_timeout of a second: the loop survives', async () => {
    const server = await ownServer({ idle_in_transaction_session_timeout: '1s' });
    const stage = await setStage(backend, { server: server.dsn });
    const client = stage.client();
    await client.submit('slow');
    const store = stage.store();
    const idling = () =>
      stage.sql("select 1 from pg_stat_activity where state = 'idle in transaction'");
    // A plan that idles holds the transaction open for longer than the server allows.
    const outcome = await store
      .claimSession(
        { queues: ['default'], workerId: 'worker_slow', names: ['slow'] },
        async (draw) => {
          const rows = await draw(['slow'], 1);
          await until(async () => (await idling()).length === 0);
          return rows;
        },
      )
      .catch((error) => error);
    expect(outcome).toBeInstanceOf(Error);
    expect((await client.list())[0]).toMatchObject({ status: 'queued', attempt: 0 });
    stage.run({ slow: () => 'done' }, { store, concurrency: 2 });
    expect(await client.wait((await client.list())[0].id)).toMatchObject({
      result: 'done',
      attempt: 1,
    });
  });
});
