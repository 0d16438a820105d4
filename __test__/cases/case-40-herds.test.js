import { expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 40: herds', (backend) => {
  it('case 40 fifty idle workers and one submit: one run, at once', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    let runs = 0;
    for (let i = 0; i < 50; i++) {
      stage.run({ one: () => ++runs }, { store: stage.world.store, pollIntervalMs: 60_000 });
    }
    await client.call('one');
    const from = performance.now();
    expect(await client.call('one')).toBe(2);
    expect(performance.now() - from).toBeLessThan(1000);
    expect(runs).toBe(2);
    expect(stage.reports).toEqual([]);
  });

  it('case 40 many tasks failing at one moment are retried spread out', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const n = 500;
    stage.run(
      {
        fails: () => {
          throw new Error('all at once');
        },
      },
      { concurrency: 64, retryBackoffMs: 60_000, retryBackoffMaxMs: 60_000 },
    );
    await client.submitMany(Array.from({ length: n }, () => ({ name: 'fails' })));
    const [row] = await until(async () => {
      const rows = await stage.sql(
        `select count(*) as n, count(distinct run_at_ms - updated_at_ms) as delays,
           min(run_at_ms - updated_at_ms) as least, max(run_at_ms - updated_at_ms) as most
         from cairnq_tasks where status = 'queued' and attempt = 1`,
      );
      return rows[0].n === n && rows;
    });
    expect(row.least).toBeGreaterThanOrEqual(30_000);
    expect(row.most).toBeLessThanOrEqual(60_000);
    expect(row.most - row.least).toBeGreaterThan(20_000);
    expect(row.delays).toBeGreaterThan(n * 0.9);
  });
});
