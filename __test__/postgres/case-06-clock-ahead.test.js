import { afterAll, describe, expect, it } from 'vitest';
import { pass } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { watchRequeues } from './leases.js';
import { skewedClock } from './skewed-clock.js';

const AHEAD_S = 300;
const clock = skewedClock();
if (clock.missing) console.warn(`case 6 skipped: ${clock.missing}`);
afterAll(() => clock.remove?.());

describe.skipIf(clock.missing)('a host whose clock is ahead', () => {
  onBackend('postgres', 'case 6: clocks that disagree', (backend) => {
    it('case 6 a worker five minutes ahead steals no lease, and its own leases are honest', async () => {
      const stage = await setStage(backend);
      const client = stage.client();
      await client.connect();
      const requeues = await watchRequeues(stage);
      const ahead = stage.peer(
        'worker.js',
        {
          handlers: { held: ['held'], theirs: ['echo'] },
          options: { leaseMs: 1500, concurrency: 4, pollIntervalMs: 20 },
        },
        { env: clock.env(AHEAD_S) },
      );
      const { at } = await ahead.event('running');
      expect(at - Date.now()).toBeGreaterThan((AHEAD_S - 10) * 1000);

      const runs = [];
      stage.run(
        {
          ours: async (ctx) => {
            runs.push(ctx.attempt);
            await pass(3000);
          },
          held: (ctx) => runs.push(`stolen from the other: ${ctx.attempt}`),
        },
        { leaseMs: 1500, concurrency: 4, pollIntervalMs: 20, queues: ['default', 'fair'] },
      );
      const held = await client.submit('held');
      const fair = await client.submit('ours', null, { queue: 'fair' });
      const delayed = await client.submit('theirs', null, { runAtDelayMs: 1000 });
      const done = await client.wait(delayed.id);
      // Due by the database's clock, not by that of the one who runs it.
      expect(done.completed_at_ms).toBeGreaterThanOrEqual(delayed.run_at_ms);
      await client.wait(fair.id);
      if ((await stage.row(held.id)).worker_id === (await ahead.event('ready')).workerId) {
        ahead.send({ release: true });
        expect(await client.wait(held.id)).toMatchObject({ status: 'succeeded', attempt: 1 });
        expect(runs).toEqual([1]);
      }
      expect(await requeues()).toEqual([]);
      const row = await stage.row(delayed.id);
      expect(Math.abs(row.completed_at_ms - Date.now())).toBeLessThan(60_000);
    });
  });
});
