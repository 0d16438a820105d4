import { expect, it } from 'vitest';
import { pass, until } from '../spec/events.js';
import { onEveryBackend, register, setStage } from '../spec/stage.js';

const LEASE_MS = 400;

onEveryBackend('case 4: tasks three times as long as their lease', (backend) => {
  const modes = {
    plain: [{}, 3],
    batch: [{ batch: 3 }, 6],
    'resource-limited': [{ resource: 'gpu' }, 2],
  };
  it.each(Object.keys(modes))('case 4 %s: two workers, one run each', async (mode) => {
    const stage = await setStage(backend);
    const client = stage.client();
    const [options, n] = modes[mode];
    const runs = [];
    const handler = async (given) => {
      const contexts = Array.isArray(given) ? given : [given];
      runs.push(...contexts.map(({ taskId }) => taskId));
      await pass(3 * LEASE_MS);
    };
    for (let i = 0; i < 2; i++) {
      const worker = stage.worker({
        store: stage.store(),
        concurrency: 3,
        leaseMs: LEASE_MS,
        pollIntervalMs: 20,
        resources: { gpu: 1 },
      });
      stage.start(register(worker, { long: [options, handler] }));
    }
    await client.submitMany(Array.from({ length: n }, () => ({ name: 'long' })));
    await until(async () => (await client.stats()).default.succeeded === n);
    expect(new Set(runs).size).toBe(n);
    expect(runs).toHaveLength(n);
    const [{ most }] = await stage.sql('select max(attempt) as most from cairnq_tasks');
    expect(most).toBe(1);
  });
});
