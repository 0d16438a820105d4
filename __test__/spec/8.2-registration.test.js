import { expect, it } from 'vitest';
import { thrown } from './events.js';
import { onEveryBackend, setStage } from './stage.js';

onEveryBackend('8.2 registration', (backend) => {
  it('8.2 task(fn) is named after the function, bound or not', async () => {
    const stage = await setStage(backend);
    const worker = stage.worker();
    function summarize() {
      return 'plain';
    }
    function index() {
      return this.word;
    }
    worker.task(summarize).task(index.bind({ word: 'bound' }));
    stage.start(worker);
    expect(await stage.client().call('summarize')).toBe('plain');
    expect(await stage.client().call('index')).toBe('bound');
  });

  it('8.2 an anonymous function needs a name', async () => {
    const stage = await setStage(backend);
    const error = thrown(() => stage.worker().task(() => {}));
    expect(error.constructor).toBe(Error);
    expect(error.message).toBe(
      "worker.task(fn): the handler is anonymous; pass a name explicitly, e.g. worker.task('summary.create', fn)",
    );
  });

  it('8.2 every form returns the worker', async () => {
    const stage = await setStage(backend);
    const worker = stage.worker({ resources: { gpu: 1 } });
    const named = { name: 'defined' };
    function own() {}
    const options = { batch: 2, concurrency: 1, resource: 'gpu' };
    expect(worker.task(own)).toBe(worker);
    expect(worker.task('text', () => {})).toBe(worker);
    expect(worker.task(named, () => {})).toBe(worker);
    expect(worker.task('text', options, () => {})).toBe(worker);
    expect(worker.task(named, options, () => {})).toBe(worker);
    expect(worker.task('text', {}, () => {})).toBe(worker);
  });

  const declared = { resources: { tpu: 1, gpu: 2 } };
  it.each([
    [{ batch: 0 }, 'batch must be an integer >= 1, got 0'],
    [{ batch: 1.5 }, 'batch must be an integer >= 1, got 1.5'],
    [{ batch: Number.NaN }, 'batch must be an integer >= 1, got NaN'],
    [{ concurrency: 0 }, 'concurrency must be an integer >= 1, got 0'],
    [{ concurrency: 2.5 }, 'concurrency must be an integer >= 1, got 2.5'],
    [
      { resource: 'cpu' },
      'task "X" declares resource "cpu", which is not in WorkerOptions.resources; declared: gpu, tpu',
    ],
    [
      { resource: 'constructor' },
      'task "X" declares resource "constructor", which is not in WorkerOptions.resources; declared: gpu, tpu',
    ],
  ])('8.2 %o is refused', async (options, message) => {
    const stage = await setStage(backend);
    const worker = stage.worker(declared);
    expect(thrown(() => worker.task('X', options, () => {})).message).toBe(message);
  });

  it('8.2 a resource of a worker that declares none', async () => {
    const stage = await setStage(backend);
    expect(thrown(() => stage.worker().task('X', { resource: 'gpu' }, () => {})).message).toBe(
      'task "X" declares resource "gpu", which is not in WorkerOptions.resources; declared: none',
    );
  });

  it('8.2 a registration without a function is refused at once', async () => {
    const stage = await setStage(backend);
    const worker = stage.worker();
    for (const args of [
      ['X'],
      ['X', {}],
      ['X', 'not a function'],
      ['X', {}, 5],
      [{ name: 'X' }],
      [],
    ]) {
      expect(thrown(() => worker.task(...args))).toBeInstanceOf(Error);
    }
  });

  it('8.2 registering again replaces, also while running', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.run({ again: () => 'replaced before it ran' });
    worker.task('again', () => 'first');
    expect(await client.call('again')).toBe('first');
    worker.task('again', () => 'second');
    expect(await client.call('again')).toBe('second');
    worker.task('again', { batch: 2 }, (contexts) =>
      Object.fromEntries(contexts.map(({ taskId }) => [taskId, 'batched'])),
    );
    expect(await client.call('again')).toBe('batched');
  });

  it('8.2 a name registered while running is claimed from then on', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.run({ known: () => 1 }, { pollIntervalMs: 60_000 });
    const { id } = await client.submit('late');
    await client.call('known');
    expect((await client.get(id)).status).toBe('queued');
    worker.task('late', () => 'now');
    expect(await client.wait(id, { timeoutMs: 5000 })).toMatchObject({ result: 'now' });
  });

  it('8.2 batch: 1 still delivers a list', async () => {
    const stage = await setStage(backend);
    stage.run({
      one: [{ batch: 1 }, (contexts) => ({ [contexts[0].taskId]: Array.isArray(contexts) })],
    });
    expect(await stage.client().call('one')).toBe(true);
  });
});
