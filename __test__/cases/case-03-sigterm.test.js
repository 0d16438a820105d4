import { expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 3: SIGTERM during a task longer than its lease', (backend) => {
  it('case 3 the lease is held until the task settles; the peer never runs it', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const options = { leaseMs: 1500, pollIntervalMs: 20 };
    const first = stage.peer('worker.js', { handlers: { long: ['held'] }, options, serve: true });
    await first.event('running');
    const { id } = await client.submit('long');
    await first.event('start');
    const rival = stage.peer('worker.js', { handlers: { long: ['echo'] }, options });
    await rival.event('running');
    const { lease_until_ms: lease } = await client.get(id);
    first.kill('SIGTERM');
    await until(() => Date.now() > lease + 1500);
    expect(await client.get(id)).toMatchObject({ status: 'running', attempt: 1 });
    first.send({ release: true });
    expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(await first.exitWithin(5000)).toEqual({ code: 0, signal: null });
    expect(rival.told('start')).toEqual([]);
  });
});
