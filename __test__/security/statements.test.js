/** Names, keys and filters are data: whatever they spell, they are found again as they are, and nothing else happens. */
import { expect, it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';

const HOSTILE = [
  `'; drop table cairnq_tasks; --`,
  `") or 1=1 --`,
  `$1`,
  `?1`,
  `:name`,
  `%s%n`,
  `\\'; delete from cairnq_task_keys; --`,
  `$$; drop schema public cascade; $$`,
  `"cairnq_tasks"`,
  `\u202e\u0000x`.replace('\0', ''),
];

onEveryBackend('hostile texts', (backend) => {
  it.each(HOSTILE)('7 %j is a name like any other', async (text) => {
    const stage = await setStage(backend);
    const client = stage.client();
    const bystander = await client.submit('bystander', null, { key: 'bystander' });
    const task = await client.submit(
      text,
      { text },
      { queue: text, key: text, correlationId: text },
    );
    expect((await client.getByKey(text)).id).toBe(task.id);
    const filters = { name: text, queue: text, correlationId: text };
    expect((await client.list(filters)).map(({ id }) => id)).toEqual([task.id]);
    expect(await client.queueDepth(text, 10)).toBe(9);
    const [claimed] = await client.store.claim({
      queues: [text],
      names: [text],
      workerId: text,
      leaseMs: 1000,
    });
    expect(claimed).toMatchObject({ id: task.id, worker_id: text, payload: { text } });
    const owner = { taskId: task.id, workerId: text };
    expect(await client.store.progress({ ...owner, message: text })).toMatchObject({
      message: text,
    });
    expect(await client.store.complete({ ...owner, result: text })).toMatchObject({ result: text });
    expect(await client.purge({ name: text, queue: `${text} ` })).toEqual([]);
    expect(await client.get(bystander.id)).toMatchObject({ status: 'queued' });
    expect((await client.getByKey('bystander')).id).toBe(bystander.id);
  });
});
