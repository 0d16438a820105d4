import { expect, it } from 'vitest';
import { onBackend, onEveryBackend, setStage } from './stage.js';

onEveryBackend('2.3 clock', (backend) => {
  it('2.3 one operation uses one time', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const task = await client.submit('timed');
    expect(task.updated_at_ms).toBe(task.created_at_ms);
    expect(task.run_at_ms).toBe(task.created_at_ms);
    const [claimed] = await store.claim({ queues: ['default'], workerId: 'w', leaseMs: 7000 });
    expect(claimed.lease_until_ms).toBe(claimed.updated_at_ms + 7000);
    const done = await store.complete({ taskId: task.id, workerId: 'w' });
    expect(done.completed_at_ms).toBe(done.updated_at_ms);
  });

  it('2.3 callers pass relative times', async () => {
    const stage = await setStage(backend);
    const task = await stage.client().submit('delayed', null, { runAtDelayMs: 86_400_000 });
    expect(task.run_at_ms).toBe(task.created_at_ms + 86_400_000);
  });
});

onBackend('sqlite', '2.3 clock', (backend) => {
  it('2.3 SQLite uses the clock of the process', async () => {
    const stage = await setStage(backend);
    const before = Date.now();
    const task = await stage.client().submit('timed');
    expect(task.created_at_ms).toBeGreaterThanOrEqual(before);
    expect(task.created_at_ms).toBeLessThanOrEqual(Date.now());
  });
});
