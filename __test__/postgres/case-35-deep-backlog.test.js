import { expect, it } from 'vitest';
import { sized } from '../cases/long.js';
import { onBackend, setStage } from '../spec/stage.js';

const ROWS = sized({ short: 60_000, long: 1_000_000 });
const CLAIMS = 200;
const P95_MS = 50;

onBackend('postgres', 'case 35: a backlog that came out of nowhere', (backend) => {
  it.each([
    ['a level 6 database', {}],
    ['a level 10 database', { migrate: 'latest' }],
  ])(
    `case 35 ${ROWS} due and ${ROWS} delayed, never analysed, on %s: a claim stays quick`,
    { timeout: 400_000 },
    async (_title, storeOptions) => {
      const stage = await setStage(backend);
      const store = stage.store(storeOptions);
      await store.connect();
      // The statements are planned, and kept, while the table is empty.
      const claim = (names) =>
        store.claim({ queues: ['default'], workerId: 'worker_x', limit: 8, names });
      for (let i = 0; i < 10; i++) expect(await claim(['deep', 'rare'])).toEqual([]);
      await stage.sql('alter table cairnq_tasks set (autovacuum_enabled = off)');
      await stage.sql('alter table cairnq_tasks disable trigger cairnq_tasks_notify');
      await stage.sql(
        `insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms)
         select 'task_due_' || lpad(i::text, 8, '0'), 'deep', 'default', 'queued', '{}', i, i, i
         from generate_series(1, ?::int) i`,
        [ROWS],
      );
      // Delayed rows are the older ones: below level 8 they come first in the order and are stepped over.
      await stage.sql(
        `insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms)
         select 'task_later_' || lpad(i::text, 8, '0'), 'deep', 'default', 'queued', '{}', 9e15, ? + i, i
         from generate_series(1, ?::int) i`,
        [ROWS, ROWS],
      );
      const costs = [];
      for (let i = 0; i < CLAIMS; i++) {
        const from = performance.now();
        const rows = await claim(i % 2 ? ['deep', 'rare'] : ['deep']);
        costs.push(performance.now() - from);
        expect(rows.map(({ created_at_ms }) => created_at_ms)).toEqual(
          Array.from({ length: 8 }, (_, n) => i * 8 + n + 1),
        );
      }
      costs.sort((a, b) => a - b);
      expect(costs[Math.floor(CLAIMS * 0.95)]).toBeLessThan(P95_MS);
    },
  );
});
