import { expect, it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 8: SIGKILL in the middle of a task', (backend) => {
  it('case 8 it is run again within a lease plus one poll, as attempt 2', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const options = { leaseMs: 1000, pollIntervalMs: 100 };
    const first = stage.peer('worker.js', { handlers: { long: ['held'] }, options });
    await first.event('running');
    const { id } = await client.submit('long');
    await first.event('start');
    const second = stage.peer('worker.js', { handlers: { long: ['echo'] }, options });
    await second.event('running');
    first.kill('SIGKILL');
    await first.exited;
    const { lease_until_ms: lease } = await client.get(id);
    const { at, attempt } = await second.event('start');
    expect(attempt).toBe(2);
    expect(at).toBeGreaterThanOrEqual(lease);
    expect(at - lease).toBeLessThan(100 + 500);
    expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 2 });
  });
});
