import { expect, it } from 'vitest';
import { deferred, pass, until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';

const LEASE_MS = 1500;

onBackend(
  'sqlite',
  'case 5: another process holds the write lock for most of a lease',
  (backend) => {
    it('case 5 the renewal is tried until the lease ends; a resource of one never runs two', async () => {
      const stage = await setStage(backend);
      const client = stage.client();
      const opened = deferred();
      const started = deferred();
      const counts = { now: 0, peak: 0, runs: 0 };
      const handler = async () => {
        counts.now += 1;
        counts.runs += 1;
        counts.peak = Math.max(counts.peak, counts.now);
        started.resolve();
        await opened.promise;
        counts.now -= 1;
      };
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
      await started.promise;
      for (let round = 0; round < 2; round++) {
        const lock = stage.peer('lock.js', { ms: LEASE_MS * 0.6 });
        await lock.event('released');
        await pass(LEASE_MS / 2);
      }
      expect(counts).toMatchObject({ peak: 1, runs: 1 });
      opened.resolve();
      await until(async () => (await client.stats()).default.succeeded === 2);
      expect(counts).toMatchObject({ peak: 1, runs: 2 });
    });
  },
);
