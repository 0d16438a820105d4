import { describe, expect, it, onTestFinished } from 'vitest';
import { askedBackends } from '../support/asked-backends.js';
import { giveBack, takeDatabase } from '../support/postgres-databases.js';
import { startExample } from './example.js';

// Skipped only when the run was told to leave Postgres out.
describe.skipIf(!askedBackends.includes('postgres'))('examples/many-hosts [postgres]', () => {
  it('shares the work among processes, and takes over from one that was killed', async () => {
    const database = await takeDatabase(process.env.CAIRNQ_TEST_PG_DSN);
    onTestFinished(() => giveBack(database));
    const env = { DATABASE_URL: database.dsn, LEASE_MS: '1500' };
    const workers = Array.from({ length: 3 }, () => startExample('many-hosts/worker.js', { env }));
    await Promise.all(workers.map((worker) => worker.event('serving')));

    const submit = startExample('many-hosts/submit.js', { args: [200, 50], env });
    await Promise.all(workers.map((worker) => worker.event('started')));
    const [killed, ...living] = workers;
    killed.kill('SIGKILL');
    expect(await submit.exitWithin(25_000)).toEqual({ code: 0, signal: null });

    const shares = submit.told('share');
    expect(shares.reduce((sum, { pages }) => sum + pages, 0)).toBe(200);
    const known = await Promise.all(workers.map((worker) => worker.event('serving')));
    const ids = known.map(({ workerId }) => workerId);
    expect(ids).toEqual(expect.arrayContaining(shares.map(({ who }) => who)));
    for (const { workerId } of known.slice(1)) {
      expect(shares.find(({ who }) => who === workerId)?.pages).toBeGreaterThan(0);
    }
    // Only what the killed process held was begun a second time: eight running, and as many claimed at most.
    const again = living.flatMap((worker) => worker.told('started', ({ attempt }) => attempt > 1));
    expect(again.length).toBeGreaterThan(0);
    expect(again.length).toBeLessThanOrEqual(16);

    for (const worker of living) worker.kill('SIGTERM');
    for (const worker of living) {
      expect(await worker.exitWithin(10_000)).toEqual({ code: 0, signal: null });
    }
  });
});
