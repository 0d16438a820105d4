import { expect, it } from 'vitest';
import { until } from './events.js';
import { done, held } from './handlers.js';
import { onEveryBackend, setStage } from './stage.js';

onEveryBackend('8.3 claimed as it is written', (backend) => {
  it('8.3 what is submitted beside an idle worker is claimed as it is written', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const one = held();
    stage.run({ one: one.handler, warm: () => 'up' });
    await client.call('warm');
    const task = await client.submit('one');
    // As it was submitted, whoever has it by now.
    expect(task).toMatchObject({ status: 'queued', attempt: 0, worker_id: null });
    await until(() => one.counts.now === 1);
    const row = await stage.row(task.id);
    expect(row).toMatchObject({ status: 'running', attempt: 1 });
    expect(Number(row.lease_until_ms)).toBeGreaterThan(Number(row.created_at_ms));
    // The slot is taken: what comes now waits, and goes first by its priority.
    const later = await client.submit('one', null, { priority: 1 });
    const first = await client.submit('one', null, { priority: 2 });
    for (const { id } of [later, first]) {
      expect(await client.get(id)).toMatchObject({ status: 'queued', attempt: 0 });
    }
    one.open();
    await done(client, 4);
    const ended = await Promise.all([later, first].map(({ id }) => client.get(id)));
    expect(ended[1].completed_at_ms).toBeLessThanOrEqual(ended[0].completed_at_ms);
    expect(one.counts).toMatchObject({ peak: 1, total: 3 });
  });

  it('8.3 ceilings hold for what is claimed as it is written', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const narrow = held();
    const resource = held();
    stage.run(
      {
        narrow: [{ concurrency: 1 }, narrow.handler],
        trains: [{ resource: 'gpu' }, resource.handler],
        embeds: [{ resource: 'gpu' }, resource.handler],
        warm: () => 'up',
      },
      { concurrency: 8, resources: { gpu: 1 } },
    );
    await client.call('warm');
    for (const name of ['narrow', 'trains', 'embeds', 'narrow', 'embeds', 'trains']) {
      await client.submit(name);
    }
    await until(() => narrow.counts.now === 1 && resource.counts.now === 1);
    expect(await client.call('warm')).toBe('up');
    narrow.open();
    resource.open();
    await done(client, 8);
    expect(narrow.counts).toMatchObject({ peak: 1, total: 2 });
    expect(resource.counts).toMatchObject({ peak: 1, total: 4 });
  });

  it('8.3 every attempt sees the same JSON, also the one that was claimed as it was written', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const seen = [];
    stage.run(
      {
        task: ({ metadata }, payload) => {
          seen.push(JSON.stringify([payload, metadata]));
          if (seen.length % 2 === 1) throw new Error('once more');
        },
        warm: () => 'up',
      },
      { retryBackoffMs: 1 },
    );
    await client.call('warm');
    const { id } = await client.submit(
      'task',
      { zebra: 1.5, a: [1e2, { y: null, x: '\u00e9' }] },
      { metadata: { long: true, b: 1 } },
    );
    expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(seen[0]).toBe(seen[1]);
  });
});
