import { expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 2: while (true) {} under maxRunMs', (backend) => {
  it('case 2 the task fails in time from Rust, and another process runs its next attempt', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const wedged = stage.peer('worker.js', {
      handlers: { hang: ['hangFirst'] },
      options: { leaseMs: 1500, maxRunMs: 2500, retryBackoffMs: 0 },
    });
    await wedged.event('running');
    const { id } = await client.submit('hang');
    const { at } = await wedged.event('start');
    const failed = await until(async () => {
      const task = await client.get(id);
      return task.error !== null && task;
    });
    expect(failed.error).toMatchObject({ code: 'handler_timeout', retryable: true });
    expect(failed.updated_at_ms - at).toBeGreaterThanOrEqual(2400);
    expect(failed.updated_at_ms - at).toBeLessThan(5000);

    const rival = stage.peer('worker.js', { handlers: { hang: ['hangFirst'] } });
    expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(rival.told('start')).toMatchObject([{ taskId: id, attempt: 2 }]);
    // The thread never came back over there, and the process is none the worse for it.
    expect(wedged.told('end')).toEqual([]);
    expect(wedged.exit).toBe(undefined);
  });
});
