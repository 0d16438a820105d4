import { expect, it } from 'vitest';
import { within } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 7: run_at equal to now', (backend) => {
  it('case 7 is claimable at once', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    // Submit and claim within one millisecond, often enough for run_at to equal the clock of the claim.
    for (let i = 0; i < 50; i++) {
      const [task, rows] = await Promise.all([
        store.submit({ name: 'now' }),
        store.claim({ queues: ['default'], workerId: 'w' }),
      ]);
      const late =
        rows.length === 1 ? rows : await store.claim({ queues: ['default'], workerId: 'w' });
      expect(late.map(({ id }) => id)).toEqual([task.id]);
    }
  });

  it('case 7 an idle worker starts it without waiting for a poll', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ now: () => 1 }, { pollIntervalMs: 60_000 });
    await client.call('now');
    for (let i = 0; i < 20; i++) await within(2000, client.call('now'), 'a task due now');
  });
});
