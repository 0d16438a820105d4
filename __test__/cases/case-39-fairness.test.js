import { expect, it } from 'vitest';
import { pass, until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';

onBackend('sqlite', 'case 39: a deep backlog of a name at its limit', (backend) => {
  it('case 39 another name starts within 100 ms', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    await stage.sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000)
       insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms)
       select printf('task_%08d', i), 'deep', 'default', 'queued', '{}', i, i, i from n`,
    );
    let deep = 0;
    stage.run(
      {
        deep: [
          { concurrency: 1 },
          async () => {
            deep += 1;
            await pass(20);
          },
        ],
        other: () => Date.now(),
      },
      { concurrency: 4 },
    );
    await until(() => deep > 1);
    const delays = [];
    for (let i = 0; i < 10; i++) {
      const task = await client.submit('other');
      const ended = await client.wait(task.id);
      delays.push(ended.result - task.created_at_ms);
    }
    const median = delays.sort((a, b) => a - b)[5];
    expect(median).toBeLessThan(100);
    expect((await client.stats()).default.queued).toBeGreaterThan(49_000);
  });
});
