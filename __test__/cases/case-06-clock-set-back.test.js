import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { skewedClock } from '../postgres/skewed-clock.js';
import { until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';

const HOUR_S = 3600;
const clock = skewedClock();
if (clock.missing) console.warn(`case 6 skipped: ${clock.missing}`);
afterAll(() => clock.remove?.());

describe.skipIf(clock.missing)('a host whose clock is set back', () => {
  onBackend('sqlite', 'case 6: a clock stepping back an hour', (backend) => {
    it('case 6 freezes no delayed task and stretches no lease by that hour', async () => {
      const stage = await setStage(backend);
      const client = stage.client();
      const back = path.join(stage.world.directory, 'set-back');
      const env = clock.env(HOUR_S, back);
      const doomed = stage.peer(
        'worker.js',
        { queues: ['doomed'], handlers: { held: ['held'] }, options: { leaseMs: 2000 } },
        { env },
      );
      const held = await client.submit('held', null, { queue: 'doomed' });
      await doomed.event('start');
      doomed.kill('SIGKILL');
      const peer = stage.peer(
        'worker.js',
        {
          queues: ['default', 'doomed'],
          handlers: { held: ['echo'], moody: ['fail'], running: ['held'] },
          options: { leaseMs: 3000, concurrency: 4, retryBackoffMs: 10_000 },
        },
        { env },
      );
      const moody = await client.submit('moody', null, { maxAttempts: 2 });
      const running = await client.submit('running');
      await peer.event('start', { where: ({ name }) => name === 'running' });
      await until(async () => {
        const { status, attempt, run_at_ms } = await stage.row(moody.id);
        return status === 'queued' && attempt === 1 && run_at_ms > Date.now() + 3_000_000;
      });
      writeFileSync(back, '');

      const options = { timeoutMs: 40_000 };
      expect(await client.wait(moody.id, options)).toMatchObject({ status: 'failed', attempt: 2 });
      expect(await client.wait(held.id, options)).toMatchObject({
        status: 'succeeded',
        attempt: 2,
      });
      // What is still running keeps its lease meanwhile, by the new time.
      const row = await stage.row(running.id);
      expect(row).toMatchObject({ status: 'running', attempt: 1 });
      expect(row.lease_until_ms - Date.now()).toBeLessThan(4000);
      peer.send({ release: true });
      expect(await client.wait(running.id, options)).toMatchObject({ attempt: 1 });
    }, 150_000);
  });
});
