import { expect, it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { sized } from './long.js';

const ROUNDS = sized({ short: 8, long: 100 });

onEveryBackend('case 26: terminated worker_threads', (backend) => {
  it(
    'case 26 the process lives on, and the tasks come back after the lease',
    async () => {
      const stage = await setStage(backend);
      const client = stage.client();
      const tasks = await client.submitMany(
        Array.from({ length: ROUNDS * 2 }, () => ({ name: 'held', maxAttempts: 1000 })),
      );
      const options = { leaseMs: 400, concurrency: 2 };
      const peer = stage.peer('terminations.js', { rounds: ROUNDS, options });
      expect(await peer.exitWithin(ROUNDS * 5000 + 20_000)).toEqual({ code: 0, signal: null });
      expect(peer.told('terminated')).toHaveLength(ROUNDS);
      const rows = await client.list({ limit: 1000 });
      expect(rows.some(({ attempt }) => attempt > 0)).toBe(true);
      stage.run({ held: () => 'in the end' }, { leaseMs: 5000, concurrency: 8 });
      for (const { id } of tasks) {
        expect(await client.wait(id)).toMatchObject({ status: 'succeeded', result: 'in the end' });
      }
    },
    ROUNDS * 5000 + 60_000,
  );
});
