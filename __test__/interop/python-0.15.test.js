import { describe, expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { indexes, ledger, level, migrations } from '../spec/schema.js';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { pythonSdk, startPython } from './python.js';

const { python, missing } = await pythonSdk('0.15.1');
if (missing) console.warn(missing);

describe.skipIf(missing)(
  `beside the Python SDK 0.15.1${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    onEveryBackend('interop', (backend) => {
      it('a database it created is worked fast, and left at level 10', async () => {
        const stage = await setStage(backend);
        const creator = startPython(stage, python, {
          act: 'submit',
          tasks: [{ name: 'echo', payload: { from: 'python' } }],
        });
        const { ids } = await creator.event('submitted');
        expect(await level(stage)).toBe(10);
        const before = await indexes(stage, 'cairnq_tasks');
        const client = stage.client();
        // A deep backlog, in which the order of the wrong index would cost milliseconds a claim.
        await client.connect();
        const id = stage.kind === 'sqlite' ? "printf('%08d', i)" : "lpad(i::text, 8, '0')";
        await stage.sql(
          `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
         insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms)
         select 'task_' || ${id}, 'echo', 'default', 'queued', '{}', 20001 - i, i, i from n`,
        );
        const costs = [];
        for (let i = 1; i <= 21; i++) {
          const from = performance.now();
          const rows = await client.store.claim({ queues: ['default'], workerId: 'worker_deep' });
          costs.push(performance.now() - from);
          // Due time, not creation, is the order from level 8 on.
          expect(rows.map(({ run_at_ms }) => run_at_ms)).toEqual([i]);
        }
        // Over a network there are the round trips of a transaction on top.
        const bound = stage.kind === 'sqlite' ? 3 : 12;
        expect(costs.sort((a, b) => a - b)[10]).toBeLessThan(bound);

        stage.run({ echo: (_ctx, payload) => payload }, { concurrency: 64 });
        const from = performance.now();
        await until(async () => (await client.getStatus(ids[0])).status === 'succeeded', {
          timeoutMs: 30_000,
        });
        const perSecond = 20_000 / ((performance.now() - from) / 1000);
        expect(perSecond).toBeGreaterThan(1500);
        expect((await client.get(ids[0])).result).toEqual({ from: 'python' });
        expect(await level(stage)).toBe(10);
        expect(await ledger(stage)).toEqual(migrations(stage, 10));
        expect(await indexes(stage, 'cairnq_tasks')).toEqual(before);
      });

      it('it works a database that we took to the latest level, and finds nothing to migrate', async () => {
        const stage = await setStage(backend);
        const client = stage.client({ store: stage.store({ migrate: 'latest' }) });
        await client.connect();
        const ours = await indexes(stage, 'cairnq_tasks');
        const worker = startPython(stage, python, { act: 'work' });
        await worker.event('running');
        expect(await client.call('echo', { n: 1 })).toEqual({ n: 1 });
        expect(await ledger(stage)).toEqual(migrations(stage, 10));
        expect(await indexes(stage, 'cairnq_tasks')).toEqual(ours);
      });

      it('it migrates a database we are working on, and the work goes on', async () => {
        const stage = await setStage(backend);
        const client = stage.client();
        const worker = stage.run({ count: (_ctx, payload) => payload }, { concurrency: 4 });
        expect(await client.call('count', 0)).toBe(0);
        expect(await level(stage)).toBe(6);
        const newcomer = startPython(stage, python, {
          act: 'submit',
          tasks: [{ name: 'count', payload: {} }],
        });
        const calls = [];
        for (let i = 1; i <= 100; i++) calls.push(await client.call('count', i));
        const { ids } = await newcomer.event('submitted');
        expect((await client.wait(ids[0])).worker_id).toBe(worker.id);
        expect(calls).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
        expect(await level(stage)).toBe(10);
        expect(stage.reports).toEqual([]);
      });
    });
  },
);
