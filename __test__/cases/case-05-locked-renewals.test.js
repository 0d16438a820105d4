import { expect, it } from 'vitest';
import { pass, until } from '../spec/events.js';
import { held } from '../spec/handlers.js';
import { onBackend, setStage } from '../spec/stage.js';

const LEASE_MS = 1500;

onBackend(
  'sqlite',
  'case 5: another process holds the write lock for most of a lease',
  (backend) => {
    it('case 5 the renewal is tried until the lease ends; a resource of one never runs two', async () => {
      const stage = await setStage(backend);
      const client = stage.client();
      const { handler, counts, open } = held();
      stage.run(
        { guarded: [{ resource: 'one' }, handler] },
        {
          leaseMs: LEASE_MS,
          concurrency: 4,
          resources: { one: 1 },
          pollIntervalMs: 20,
          store: stage.store({ busyTimeoutMs: 100 }),
        },
      );
      await client.submitMany([{ name: 'guarded' }, { name: 'guarded' }]);
      await until(() => counts.now === 1);
      for (let round = 0; round < 2; round++) {
        const lock = stage.peer('lock.js', { ms: LEASE_MS * 0.6 });
        await lock.event('released');
        await pass(LEASE_MS / 2);
      }
      expect(counts).toMatchObject({ peak: 1, total: 1 });
      open();
      await until(async () => (await client.stats()).default.succeeded === 2);
      expect(counts).toMatchObject({ peak: 1, total: 2 });
    });
  },
);
