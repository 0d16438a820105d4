import { expect, it } from 'vitest';
import { deferred, pass, until } from '../spec/events.js';
import { held } from '../spec/handlers.js';
import { onBackend, setStage } from '../spec/stage.js';
import { renewed } from './leases.js';
import { proxyBefore, storeOn } from './reach.js';

const LEASE_MS = 2000;

onBackend('postgres', 'case 5: the network fails for most of a lease', (backend) => {
  /** A worker behind a proxy, with two tasks that share a resource of one. */
  async function setUp() {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const proxy = await proxyBefore(stage);
    const { handler, counts, open } = held();
    const options = { leaseMs: LEASE_MS, concurrency: 4, resources: { one: 1 } };
    const store = storeOn(stage, proxy.through(stage.world.dsn));
    stage.run({ guarded: [{ resource: 'one' }, handler] }, { ...options, store });
    const [first] = await client.submitMany([{ name: 'guarded' }, { name: 'guarded' }]);
    await until(() => counts.now === 1);
    return { stage, client, proxy, counts, open, first };
  }

  const faults = {
    frozen: (proxy) => {
      proxy.freeze();
      return () => proxy.thaw();
    },
    cut: async (proxy) => {
      await proxy.cut();
      return () => proxy.restore();
    },
  };
  it.each(Object.keys(faults))(
    'case 5 %s: the renewal is tried until it gets through',
    async (name) => {
      const { stage, client, proxy, counts, open, first } = await setUp();
      for (let round = 0; round < 2; round++) {
        await renewed(stage, first.id);
        const mend = await faults[name](proxy);
        await pass(LEASE_MS * 0.8);
        await mend();
        await renewed(stage, first.id);
      }
      expect(counts).toMatchObject({ peak: 1, total: 1 });
      open();
      await until(async () => (await client.stats()).default.succeeded === 2);
      expect(counts).toMatchObject({ peak: 1, total: 2 });
      expect((await stage.row(first.id)).attempt).toBe(1);
    },
  );

  it('case 5 a network gone for longer than the lease: the task is given up, and run again elsewhere', async () => {
    const { stage, client, proxy, counts, open, first } = await setUp();
    await proxy.cut();
    const again = deferred();
    const store = stage.store();
    const peer = stage.worker({ store });
    peer.task('guarded', (ctx) => {
      if (ctx.taskId === first.id) again.resolve(ctx.attempt);
    });
    stage.start(peer);
    expect(await again.promise).toBe(2);
    open();
    await proxy.restore();
    await until(async () => (await client.stats()).default.succeeded === 2);
    expect(counts.total).toBe(1);
    expect((await stage.row(first.id)).worker_id).toBe(peer.id);
  });
});
