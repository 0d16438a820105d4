import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresStore } from '../../index.js';
import { runScenario } from '../conformance/scenario.js';
import { until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { missing, startPgbouncer } from './pgbouncer.js';
import { storeOn } from './reach.js';

const folder = new URL('../../protocol/conformance/', import.meta.url);
const scenarios = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));

if (missing) console.warn(`case 34 skipped: ${missing}`);

describe.skipIf(missing)(`behind a pooler${missing ? ` (skipped: ${missing})` : ''}`, () => {
  onBackend('postgres', 'case 34: pgbouncer in transaction mode', (backend) => {
    let pooler;
    /** One database for all scenarios of a level, emptied in between. */
    const shared = new Map();
    beforeAll(async () => {
      pooler = await startPgbouncer(process.env.CAIRNQ_TEST_PG_DSN, 2);
    });
    afterAll(async () => {
      for (const { world, store } of shared.values()) {
        await store.close();
        await world.close();
      }
      await pooler?.stop();
    });

    async function emptyDatabase(level) {
      if (!shared.has(level)) {
        const world = await backend.open();
        const options = level > 6 ? { migrate: 'latest' } : {};
        const store = new PostgresStore(pooler.through(world.dsn), options);
        await store.connect();
        shared.set(level, { world, store });
      }
      const { world, store } = shared.get(level);
      await world.sql('truncate cairnq_tasks cascade');
      return store;
    }

    const pooled = (stage, options) => storeOn(stage, pooler.through(stage.world.dsn), options);

    it.each(scenarios.map((scenario) => [`${scenario.rule} ${scenario.name}`, scenario]))(
      'case 34 %s',
      async (_title, { steps, level = 6 }) => {
        const store = await emptyDatabase(level);
        await expect(runScenario(store, steps)).resolves.toBeUndefined();
      },
    );

    it('case 34 workers and waiters, many of each, on two server connections', async () => {
      const stage = await setStage(backend);
      const client = stage.client({ store: pooled(stage) });
      const runs = new Map();
      for (let i = 0; i < 3; i++) {
        stage.run(
          {
            plain: (ctx, n) => {
              runs.set(ctx.taskId, (runs.get(ctx.taskId) ?? 0) + 1);
              return n * 2;
            },
            batch: [
              { batch: 20, concurrency: 1 },
              (contexts) => Object.fromEntries(contexts.map((ctx) => [ctx.taskId, ctx.payload])),
            ],
            parent: async (ctx) => (await ctx.wait((await ctx.submit('plain', 5)).id)).result,
          },
          { store: pooled(stage), concurrency: 10 },
        );
      }
      const numbers = Array.from({ length: 200 }, (_, i) => i);
      const plain = numbers.map((n) => client.call('plain', n));
      const batched = numbers.map((n) => client.call('batch', n));
      expect(await Promise.all(plain)).toEqual(numbers.map((n) => n * 2));
      expect(await Promise.all(batched)).toEqual(numbers);
      expect(await client.call('parent')).toBe(10);
      expect([...new Set(runs.values())]).toEqual([1]);
      const backends = await stage.sql(
        `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and application_name <> ''`,
      );
      expect(backends.length).toBeLessThanOrEqual(2);
      expect(stage.reports).toEqual([]);
    });

    it('case 34 leases are renewed through it', async () => {
      const stage = await setStage(backend);
      const attempts = [];
      stage.run(
        {
          long: async (ctx) => {
            attempts.push(ctx.attempt);
            const from = Date.now();
            await until(() => Date.now() - from > 2500);
          },
        },
        { store: pooled(stage), leaseMs: 1000 },
      );
      const client = stage.client();
      const { id } = await client.submit('long');
      expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
      expect(attempts).toEqual([1]);
    });
  });
});
