import { expect, it } from 'vitest';
import { deferred, until } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 9: ten claimed, two started, stop()', (backend) => {
  it('case 9 the other eight are queued again at once, and a peer starts them', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    let started = 0;
    const worker = stage.worker({ concurrency: 2, prefetch: 8, store: stage.store() });
    worker.task('shared', () => {
      started += 1;
      return opened.promise;
    });
    await client.submitMany(Array.from({ length: 10 }, (_, i) => ({ name: 'shared', payload: i })));
    const running = stage.start(worker);
    await until(async () => (await client.stats()).default.running === 10);

    const peer = stage.peer('worker.js', {
      handlers: { shared: ['echo'] },
      options: { concurrency: 8, pollIntervalMs: 20 },
    });
    await peer.event('running');
    const stoppedAt = Date.now();
    worker.stop();
    await until(() => peer.told('start').length === 8);
    for (const { at, attempt } of peer.told('start')) {
      expect(attempt).toBe(1);
      expect(at - stoppedAt).toBeLessThan(400);
    }
    opened.resolve();
    await running;
    expect(started).toBe(2);
    await until(async () => (await client.stats()).default.succeeded === 10);
    const [{ most }] = await stage.sql('select max(attempt) as most from cairnq_tasks');
    expect(most).toBe(1);
  });
});
