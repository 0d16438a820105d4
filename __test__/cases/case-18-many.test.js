import { expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';

const MANY = 40_000;

onEveryBackend('case 18: forty thousand at once', (backend) => {
  it('case 18 submitMany and one batch call, with exact counts and priorities', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const tasks = Array.from({ length: MANY }, (_, i) => ({
      name: 'bulk',
      payload: i,
      priority: i % 5,
    }));
    expect(await client.submitMany(tasks)).toHaveLength(MANY);
    const kept = await stage.sql(
      'select priority, count(*) as n from cairnq_tasks group by priority order by priority',
    );
    expect(kept).toEqual([0, 1, 2, 3, 4].map((priority) => ({ priority, n: MANY / 5 })));
    const sizes = [];
    stage.run(
      {
        bulk: [
          { batch: MANY },
          (contexts) => {
            sizes.push(contexts.length);
            return Object.fromEntries(contexts.map((ctx) => [ctx.taskId, ctx.payload]));
          },
        ],
      },
      { leaseMs: 60_000 },
    );
    await until(async () => (await client.stats()).default.succeeded === MANY, {
      timeoutMs: 50_000,
      everyMs: 100,
    });
    expect(sizes).toEqual([MANY]);
    const [{ wrong }] = await stage.sql(
      `select count(*) as wrong from cairnq_tasks
       where attempt <> 1 or cast(result as text) <> cast(payload as text)`,
    );
    expect(wrong).toBe(0);
  }, 90_000);
});
