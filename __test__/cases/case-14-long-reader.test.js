import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { sized } from './long.js';

const TASKS = sized({ short: 10_000, long: 200_000 });

onBackend('sqlite', 'case 14: a read transaction open for very many tasks', (backend) => {
  it('case 14 once it is closed the -wal file shrinks, though nobody writes any more', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const reader = stage.peer('lock.js', { begin: 'begin', read: true });
    await reader.event('held');
    stage.run({ many: () => null }, { concurrency: 64 });
    for (let left = TASKS; left > 0; left -= 5000) {
      await client.submitMany(Array.from({ length: 5000 }, () => ({ name: 'many' })));
    }
    await until(async () => (await client.stats()).default.succeeded === TASKS, {
      timeoutMs: 120_000,
      everyMs: 100,
    });
    const size = async () => (await stat(`${stage.path}-wal`)).size;
    expect(await size()).toBeGreaterThan(8_000_000);
    reader.send({});
    await reader.event('released');
    await until(async () => (await size()) < 5_000_000, { timeoutMs: 20_000, everyMs: 50 });
  }, 200_000);
});
