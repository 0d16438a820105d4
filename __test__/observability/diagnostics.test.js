import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, it, onTestFinished } from 'vitest';
import { cairnq, onEveryBackend, setStage } from '../spec/stage.js';
import { until } from '../support/until.js';

const START = 'cairnq:task:start';
const END = 'cairnq:task:end';

/** What the channels say of this worker's tasks, in order. */
function listen(worker) {
  const heard = [];
  for (const name of [START, END]) {
    const hear = (message) => {
      if (message.workerId === worker.id) heard.push([name, message, { ...message }]);
    };
    subscribe(name, hear);
    onTestFinished(() => unsubscribe(name, hear));
  }
  return heard;
}

const ends = (heard) => heard.filter(([name]) => name === END).map(([, , message]) => message);

onEveryBackend('diagnostics_channel', (backend) => {
  it('tells the start and the end of a task with one object', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.worker();
    const heard = listen(worker);
    let startedBeforeHandler;
    worker.task('seen', () => {
      startedBeforeHandler = heard.map(([name]) => name);
      return 'result';
    });
    const task = await client.submit('seen', null, {
      metadata: { traceparent: '00-1-2-01' },
      correlationId: 'c-1',
    });
    stage.start(worker);
    await client.wait(task.id);
    await until(() => heard.length === 2);
    expect(startedBeforeHandler).toEqual([START]);
    const [[, start, asStarted], [, end]] = heard;
    expect(end).toBe(start);
    expect(asStarted).toMatchObject({
      workerId: worker.id,
      taskId: task.id,
      name: 'seen',
      queue: 'default',
      attempt: 1,
      rootId: task.id,
      correlationId: 'c-1',
      metadata: { traceparent: '00-1-2-01' },
      durationMs: null,
      outcome: null,
      error: null,
    });
    expect(end).toMatchObject({ outcome: 'completed', error: null });
    expect(end.durationMs).toBeGreaterThanOrEqual(0);
    expect(Math.abs(start.startedAtMs - Date.now())).toBeLessThan(60_000);
  });

  it('tells how a task ended', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.worker({ concurrency: 4 });
    const heard = listen(worker);
    worker.task('bad', () => {
      throw new cairnq.TaskError('no', { code: 'refused' });
    });
    worker.task('odd', () => 10n);
    worker.task('own', async (ctx) => {
      await ctx.succeed('mine');
    });
    worker.task('gone', (ctx) => {
      throw new cairnq.LostLease(ctx.taskId);
    });
    for (const name of ['bad', 'odd', 'own', 'gone'])
      await client.submit(name, null, { maxAttempts: 1 });
    stage.start(worker);
    await until(() => ends(heard).length === 4);
    const byName = Object.fromEntries(ends(heard).map((message) => [message.name, message]));
    expect(byName.bad).toMatchObject({ outcome: 'failed', error: { code: 'refused' } });
    expect(byName.odd).toMatchObject({
      outcome: 'failed',
      error: { code: 'unserializable_result' },
    });
    expect(byName.own).toMatchObject({ outcome: 'settled', error: null });
    expect(byName.gone).toMatchObject({ outcome: 'lost' });
  });

  it('tells of each task of a batch', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.worker();
    const heard = listen(worker);
    worker.task('many', { batch: 3 }, () => ({}));
    const tasks = await client.submitMany([1, 2, 3].map((payload) => ({ name: 'many', payload })));
    stage.start(worker);
    await until(() => ends(heard).length === 3);
    expect(
      ends(heard)
        .map(({ taskId }) => taskId)
        .sort(),
    ).toEqual(tasks.map(({ id }) => id).sort());
  });

  it('runs the handler with the stores bound to the start', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const current = new AsyncLocalStorage();
    const start = channel(START);
    start.bindStore(current, ({ taskId }) => `span of ${taskId}`);
    onTestFinished(() => start.unbindStore(current));
    stage.run({
      plain: async () => {
        await client.stats();
        return current.getStore();
      },
      many: [
        { batch: 2 },
        (contexts) => Object.fromEntries(contexts.map((ctx) => [ctx.taskId, current.getStore()])),
      ],
    });
    const { id } = await client.submit('plain');
    expect((await client.wait(id)).result).toBe(`span of ${id}`);
    const [first] = await client.submitMany([{ name: 'many' }, { name: 'many' }]);
    expect((await client.wait(first.id)).result).toMatch(/^span of task_/);
    expect(current.getStore()).toBeUndefined();
  });

  it('a task that began unheard does not end heard', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.worker();
    let heard;
    worker.task('early', () => {
      heard = listen(worker);
    });
    worker.task('later', () => null);
    stage.start(worker);
    await client.call('early');
    await client.call('later');
    await until(() => ends(heard).length === 1);
    expect(heard.map(([, { name }]) => name)).toEqual(['later', 'later']);
  });
});
