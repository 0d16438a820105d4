import { expect, it } from 'vitest';
import { deferred, pass, rejection, until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { watchRequeues } from './leases.js';
import { ownServer } from './reach.js';

const TASKS = 400;

onBackend('postgres', 'case 32: connections lost while work goes on', (backend) => {
  /** A busy worker on a server of its own; `runs` counts the handler's runs by task. */
  async function setUp(settings) {
    const server = await ownServer(settings);
    const stage = await setStage(backend, { server: server.dsn });
    const client = stage.client();
    await client.connect();
    const requeues = await watchRequeues(stage);
    const runs = new Map();
    const worker = stage.run(
      {
        work: async (ctx) => {
          runs.set(ctx.taskId, (runs.get(ctx.taskId) ?? 0) + 1);
          await pass(5);
          return ctx.attempt;
        },
      },
      { concurrency: 8, leaseMs: 5000, store: stage.store() },
    );
    const ids = (
      await client.submitMany(Array.from({ length: TASKS }, () => ({ name: 'work' })))
    ).map(({ id }) => id);
    const done = async (count) => {
      const [row] = await stage
        .sql("select count(*) as n from cairnq_tasks where status = 'succeeded'")
        .catch(() => [{ n: -1 }]);
      return row.n >= count;
    };
    return { server, stage, client, worker, runs, ids, done, requeues };
  }

  /** Every task is settled once; one is run twice only if its lease had really ended. */
  async function everythingSettledOnce({ stage, client, runs, ids, done, requeues }) {
    await until(() => done(ids.length), { timeoutMs: 30_000 });
    const taken = await requeues();
    for (const { left_ms, handed_back } of taken)
      if (!handed_back) expect(left_ms).toBeLessThanOrEqual(0);
    const again = new Set(taken.filter(({ handed_back }) => !handed_back).map(({ id }) => id));
    for (const id of ids) if (!again.has(id)) expect(runs.get(id), id).toBe(1);
    const [{ n }] = await stage.sql('select count(*) as n from cairnq_tasks');
    expect(n).toBe(ids.length);
    // The client's own connections are sound again, too.
    expect((await client.submit('later')).status).toBe('queued');
    for (const { error } of stage.reports) expect(error).toBeInstanceOf(Error);
  }

  it('case 32 pg_terminate_backend on every connection, again and again', async () => {
    const run = await setUp();
    for (const share of [0.2, 0.4, 0.6]) {
      await until(() => run.done(TASKS * share), { timeoutMs: 20_000 });
      await run.stage
        .sql(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        )
        .catch(() => {});
    }
    await everythingSettledOnce(run);
  });

  it.each(['fast', 'immediate'])('case 32 a server restart (%s) in mid-batch', async (mode) => {
    const run = await setUp();
    await until(() => run.done(TASKS * 0.3), { timeoutMs: 20_000 });
    await run.server.stop(mode);
    await pass(500);
    await run.server.start();
    await everythingSettledOnce(run);
    // An outage of half a second is told, not flooded.
    expect(run.stage.reports.length).toBeLessThan(60);
  });

  it('case 32 the database turns read-only and back', async () => {
    const run = await setUp();
    const setting = (value) =>
      run.stage.sql(`alter system set default_transaction_read_only = ${value}`);
    await until(() => run.done(TASKS * 0.3), { timeoutMs: 20_000 });
    await setting('on');
    await run.stage.sql('select pg_reload_conf()');
    await until(() => run.stage.reports.some(({ error }) => error.code === '25006'));
    const refused = await run.client.submit('refused').catch((error) => error);
    expect(refused).toMatchObject({ code: '25006' });
    await pass(1000);
    const reported = run.stage.reports.length;
    const connection = await run.stage.world.connection();
    await connection.sql('set default_transaction_read_only = off');
    await connection.sql('alter system set default_transaction_read_only = off');
    await connection.sql('select pg_reload_conf()');
    await everythingSettledOnce(run);
    expect(reported).toBeLessThan(60);
  });

  it('case 32 a waiter is told of the outage and can wait on; the handler never notices', async () => {
    const server = await ownServer();
    const stage = await setStage(backend, { server: server.dsn });
    const client = stage.client();
    const gate = deferred();
    stage.run({ gated: () => gate.promise }, { store: stage.store(), leaseMs: 5000 });
    const { id } = await client.submit('gated');
    const interrupted = rejection(client.wait(id, { timeoutMs: 25_000 }));
    await until(async () => (await stage.row(id)).status === 'running');
    await server.stop('fast');
    const error = await interrupted;
    expect(error.code ?? error.message).toMatch(/^57P0|^08|cannot reach Postgres/);
    await server.start();
    gate.resolve('survived');
    const task = await client.wait(id, { timeoutMs: 25_000 });
    expect(task).toMatchObject({ status: 'succeeded', result: 'survived', attempt: 1 });
  });
});
