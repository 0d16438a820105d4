import { expect, it } from 'vitest';
import { sized } from '../cases/long.js';
import { deferred, pass, until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { renewed } from './leases.js';

const LOCK_MS = sized({ short: 3000, long: 30_000 });
/** The last beat before the lock may be a third of this ago. */
const LEASE_MS = sized({ short: 6000, long: 60_000 });

onBackend('postgres', 'case 33: nothing left in the pool', (backend) => {
  it('case 33 a hundred handlers hold every connection: heartbeats still renew', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    // Whoever submits under this key waits until the test lets go of it.
    const lock = await stage.world.connection();
    await lock.sql('begin');
    await lock.sql("select pg_advisory_xact_lock(hashtextextended('taken', 0))");
    const store = stage.store({ max: 4 });
    let running = 0;
    stage.run(
      {
        blocked: async (ctx) => {
          running += 1;
          await ctx.submit('child', null, { key: 'taken' });
        },
      },
      { store, concurrency: 100, leaseMs: 1500 },
    );
    const tasks = await client.submitMany(Array.from({ length: 100 }, () => ({ name: 'blocked' })));
    await until(() => running === 100);
    await until(
      async () => {
        const waiting = await stage.sql(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
        );
        return waiting.length === 4;
      },
      { what: 'all four connections to wait for the key' },
    );
    for (let beat = 0; beat < 5; beat++) await renewed(stage, tasks[99].id);
    await lock.sql('rollback');
    await until(async () => (await client.stats()).default.succeeded === 100);
    expect(running).toBe(100);
    const [{ n }] = await stage.sql(
      "select count(*) as n from cairnq_tasks where name = 'blocked' and attempt = 1",
    );
    expect(n).toBe(100);
  });

  it('case 33 a table lock shorter than the lease costs nobody the lease', {
    timeout: 90_000,
  }, async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const gate = deferred();
    const runs = [];
    const handler = (ctx) => {
      runs.push(ctx.attempt);
      return gate.promise;
    };
    const options = { leaseMs: LEASE_MS, concurrency: 100 };
    stage.run({ held: handler }, { ...options, store: stage.store() });
    stage.run({ held: handler }, { ...options, store: stage.store() });
    const tasks = await client.submitMany(Array.from({ length: 100 }, () => ({ name: 'held' })));
    await until(() => runs.length === 100);
    await renewed(stage, tasks[0].id, { timeoutMs: LEASE_MS });
    const lock = await stage.world.connection();
    await lock.sql('begin');
    await lock.sql('lock table cairnq_tasks in access exclusive mode');
    await pass(LOCK_MS);
    await lock.sql('commit');
    await renewed(stage, tasks[0].id, { timeoutMs: LEASE_MS });
    gate.resolve();
    await until(async () => (await client.stats()).default.succeeded === 100);
    expect(runs).toEqual(Array(100).fill(1));
  });

  it('case 33 rows that somebody holds locked do not cost the others their lease', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const gate = deferred();
    const runs = [];
    stage.run(
      {
        held: (ctx) => {
          runs.push(ctx.attempt);
          return gate.promise;
        },
      },
      { leaseMs: 1500, concurrency: 10, store: stage.store() },
    );
    const tasks = await client.submitMany(Array.from({ length: 10 }, () => ({ name: 'held' })));
    await until(() => runs.length === 10);
    const lock = await stage.world.connection();
    await lock.sql('begin');
    await lock.sql('select 1 from cairnq_tasks where id = ? for update', [tasks[0].id]);
    for (let beat = 0; beat < 4; beat++) await renewed(stage, tasks[5].id);
    await lock.sql('rollback');
    gate.resolve();
    await Promise.all(tasks.slice(1).map(({ id }) => client.wait(id)));
    const [{ n }] = await stage.sql('select count(*) as n from cairnq_tasks where attempt = 1');
    expect(n).toBeGreaterThanOrEqual(9);
  });
});
