import { expect, it } from 'vitest';
import { worstGap } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';

onBackend('sqlite', 'case 13: another process holds BEGIN EXCLUSIVE', (backend) => {
  it('case 13 a 10 ms interval in this process hardly notices', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ echo: (_ctx, payload) => payload }, { concurrency: 4, pollIntervalMs: 10 });
    await client.call('echo', 1);
    const lock = stage.peer('lock.js', { begin: 'begin exclusive', ms: 2500 });
    await lock.event('held');
    const gap = await worstGap(async () => {
      const calls = Array.from({ length: 20 }, (_, i) => client.call('echo', i));
      await client.get('task_missing');
      expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    });
    expect(lock.told('released')).toHaveLength(1);
    expect(gap).toBeLessThan(100);
  });
});
