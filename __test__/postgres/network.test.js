import { expect, it } from 'vitest';
import { LostLease } from '../../index.js';
import { deferred, pass, until, within } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { renewed, watchRequeues } from './leases.js';
import { proxyBefore, storeOn } from './reach.js';

onBackend('postgres', '11.6 a network that fails', (backend) => {
  async function setUp(handlers, options) {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const proxy = await proxyBefore(stage);
    const store = storeOn(stage, proxy.through(stage.world.dsn));
    stage.run(handlers, { store, ...options });
    const requeues = await watchRequeues(stage);
    return { stage, client, proxy, store, requeues };
  }

  it('11.6 cut: the worker reports without a flood, and works again when it is mended', async () => {
    const { stage, client, proxy } = await setUp({ n: (ctx) => ctx.attempt });
    const { id: settled } = await client.submit('n');
    await client.wait(settled);
    await proxy.cut();
    const { id } = await client.submit('n');
    await until(() => stage.reports.length > 2);
    const from = stage.reports.length;
    await pass(2000);
    // A pause of 250 ms between tries is eight of them.
    expect(stage.reports.length - from).toBeLessThanOrEqual(10);
    // The cut may have crossed the answer to a settlement; everything after it is the claim's.
    expect(stage.reports.slice(1).map(({ info }) => info.phase)).not.toContain('execute');
    for (const { error } of stage.reports) expect(error.message).not.toBe('');
    await proxy.restore();
    expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
  });

  it('11.6 resets in the middle of everything: no task is run beside its lease', async () => {
    const runs = [];
    const { stage, client, proxy, requeues } = await setUp(
      { n: (ctx) => void runs.push(`${ctx.taskId} ${ctx.attempt}`) },
      { concurrency: 8, leaseMs: 2000 },
    );
    const tasks = await client.submitMany(
      Array.from({ length: 1000 }, () => ({ name: 'n', maxAttempts: 20 })),
    );
    for (let i = 0; i < 25; i++) {
      await pass(60);
      proxy.drop();
    }
    await until(async () => (await client.stats()).default.succeeded === tasks.length, {
      timeoutMs: 20_000,
    });
    expect(new Set(runs).size).toBe(runs.length);
    const taken = (await requeues()).filter(({ handed_back }) => !handed_back);
    for (const { left_ms } of taken) expect(left_ms).toBeLessThanOrEqual(0);
    const [{ attempts }] = await stage.sql(
      'select sum(attempt)::int as attempts from cairnq_tasks',
    );
    expect(attempts).toBe(tasks.length + taken.length);
  });

  it('11.6 slow: 30 ms each way costs time and nothing else', async () => {
    const { client, proxy, stage } = await setUp(
      { n: (_ctx, payload) => payload },
      { concurrency: 32 },
    );
    await client.call('n', 0);
    proxy.delay(30);
    const numbers = Array.from({ length: 200 }, (_, i) => i);
    expect(await Promise.all(numbers.map((n) => client.call('n', n)))).toEqual(numbers);
    expect(stage.reports).toEqual([]);
    proxy.delay(0);
  });

  it('11.6 a black hole for half a lease: walked around, and the lease is kept', {
    timeout: 60_000,
  }, async () => {
    const gate = deferred();
    const runs = [];
    const { client, proxy, stage } = await setUp(
      {
        held: (ctx) => {
          runs.push(ctx.attempt);
          return gate.promise;
        },
        after: () => 'after',
      },
      { concurrency: 4, leaseMs: 6000 },
    );
    const { id } = await client.submit('held');
    await until(() => runs.length === 1);
    await renewed(stage, id);
    proxy.swallow();
    await pass(3000);
    proxy.heal();
    await renewed(stage, id);
    gate.resolve('kept');
    const after = await client.submit('after');
    // Statements that nobody will answer any more are given up too, not only renewals.
    expect(await client.wait(id, { timeoutMs: 40_000 })).toMatchObject({
      result: 'kept',
      attempt: 1,
    });
    expect((await client.wait(after.id, { timeoutMs: 40_000 })).result).toBe('after');
    expect(runs).toEqual([1]);
  });

  it('11.6 away for good: stop() and close() still end', { timeout: 60_000 }, async () => {
    const started = deferred();
    const refused = deferred();
    const { stage, client, proxy, store } = await setUp({});
    const worker = stage.worker({ store, leaseMs: 1500 });
    worker.task('held', async (ctx) => {
      started.resolve();
      await until(() => ctx.lostLease);
      await ctx.progress(1).catch(refused.resolve);
    });
    const running = stage.start(worker);
    await client.submit('held');
    await started.promise;
    await proxy.cut();
    expect(await refused.promise).toBeInstanceOf(LostLease);
    worker.stop();
    await within(10_000, running, 'run() after stop()');
    await within(10_000, store.close(), 'close()');
  });
});
