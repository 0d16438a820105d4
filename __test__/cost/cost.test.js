// What a task costs in things that can be counted. No clock takes part, so a loaded machine fails nothing here; the
// bounds leave room for how batches happen to fall, not for a second crossing or commit per task.

import { afterEach, describe, expect, it } from 'vitest';
import { MessageCounter } from '../../bench/harness/message-counter.js';
import { CairnQ, PostgresStore } from '../../index.js';
import { backends, onEveryBackend } from '../backends.js';
import { until } from '../support/until.js';
import { countCrossings } from './native-crossings.js';
import { walCommits } from './wal-commits.js';

const TASKS = 2_000;

/** @type {{ close(): Promise<void> }[]} */
const opened = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function filled(backend, tasks = TASKS) {
  const world = await backend.open();
  opened.push(world);
  await world
    .client()
    .submitMany(Array.from({ length: tasks }, () => ({ name: 'noop', payload: {} })));
  return world;
}

/** Runs a worker until everything is settled. */
async function drain(world, options, { batch, tasks = TASKS } = {}) {
  const worker = world.worker(options);
  let done = 0;
  const count = (handled) => {
    done += handled;
    if (done === tasks) worker.stop();
  };
  if (batch === undefined) worker.task('noop', async () => count(1));
  else worker.task('noop', { batch }, async (contexts) => count(contexts.length));
  await worker.run();
  const { default: counts } = await world.client().stats('default');
  expect(counts.succeeded).toBe(tasks);
}

onEveryBackend('native crossings per task', (backend) => {
  it.each([
    { concurrency: 1, most: 2.3 },
    { concurrency: 8, most: 0.6 },
    { concurrency: 64, most: 0.1 },
    { concurrency: 256, most: 0.06 },
  ])('draining at $concurrency: $most at most', async ({ concurrency, most }) => {
    const world = await filled(backend);
    const { crossings, by } = await countCrossings(() => drain(world, { concurrency }));
    expect(crossings / TASKS, JSON.stringify(by)).toBeLessThanOrEqual(most);
  });

  it('a batch handler costs no more crossings than batches', async () => {
    const world = await filled(backend);
    const { crossings, by } = await countCrossings(() =>
      drain(world, { concurrency: 1 }, { batch: 64 }),
    );
    expect(crossings / (TASKS / 64), JSON.stringify(by)).toBeLessThanOrEqual(4);
  });

  it('submitMany is one request and its answer, and a crossing for each 500 tasks', async () => {
    const world = await filled(backend, 1);
    const inputs = Array.from({ length: 1_000 }, () => ({ name: 'noop', payload: {} }));
    const { by } = await countCrossings(() => world.client().submitMany(inputs));
    expect(by['NativeStore.submitMany']).toBe(1);
    expect(by['NativeSubmit.add']).toBe(2);
    expect(by['NativeSubmit.end']).toBe(1);
    expect(by['NativeBridge.drain']).toBeLessThanOrEqual(2);
  });

  it('call() submits and is told of the end, and reads nothing in between', async () => {
    const world = await filled(backend, 1);
    const worker = world.worker();
    worker.task('noop', async () => 'done');
    const { by } = await worker.background(async () => {
      await world.client().call('noop');
      return await countCrossings(() => world.client().call('noop', null, { pollMs: 60_000 }));
    });
    expect(by['NativeStore.submit']).toBe(1);
    expect(by['NativeStore.request']).toBe(1);
  });

  it('submits of one turn go down together', async () => {
    const world = await filled(backend, 1);
    const client = world.client();
    const all = () => Promise.all(Array.from({ length: 32 }, () => client.submit('noop', {})));
    const { by } = await countCrossings(all);
    expect(by['NativeStore.submit']).toBe(1);
  });
});

const sqlite = backends.find(({ name }) => name === 'sqlite');
describe.runIf(sqlite)('commits per task [sqlite]', () => {
  it.each([
    // How much is held ready goes by the rate, so on a slow machine a commit serves fewer.
    { concurrency: 1, options: {}, most: 0.4 },
    { concurrency: 64, options: {}, most: 0.06 },
    { concurrency: 64, options: { prefetch: 0 }, most: 0.06 },
    { concurrency: 1, options: { prefetch: 0 }, most: 1.1 },
  ])('draining at $concurrency with $options: $most at most', async (one) => {
    const { concurrency, options, most } = one;
    const world = await filled(sqlite);
    const reader = await world.connection();
    await reader.sql('begin');
    await reader.sql('select count(*) from cairnq_tasks');
    const before = await walCommits(world.path);
    await drain(world, { concurrency, ...options });
    const commits = (await walCommits(world.path)) - before;
    await reader.sql('commit');
    expect(commits).toBeGreaterThan(0);
    expect(commits / TASKS).toBeLessThanOrEqual(most);
  });

  it('submits of one turn share one', async () => {
    const world = await filled(sqlite, 1);
    const client = world.client();
    const reader = await world.connection();
    await reader.sql('begin');
    await reader.sql('select count(*) from cairnq_tasks');
    const before = await walCommits(world.path);
    const turns = 20;
    for (let turn = 0; turn < turns; turn += 1) {
      await Promise.all(Array.from({ length: 32 }, () => client.submit('noop')));
    }
    const commits = (await walCommits(world.path)) - before;
    await reader.sql('commit');
    expect(commits).toBeGreaterThanOrEqual(turns);
    // The writer may have taken statistics meanwhile.
    expect(commits).toBeLessThanOrEqual(turns + 2);
  });
});

describe.runIf(sqlite)('commits of a call() beside an idle worker [sqlite]', () => {
  it('two: the submit that is a claim as well, and the settlement', async () => {
    const world = await filled(sqlite, 1);
    const reader = await world.connection();
    const worker = world.worker();
    worker.task('noop', async () => 'done');
    const calls = 20;
    const commits = await worker.background(async () => {
      await world.client().call('noop');
      await reader.sql('begin');
      await reader.sql('select count(*) from cairnq_tasks');
      const before = await walCommits(world.path);
      for (let call = 0; call < calls; call += 1) await world.client().call('noop');
      return (await walCommits(world.path)) - before;
    });
    await reader.sql('commit');
    expect(commits).toBeGreaterThanOrEqual(2 * calls);
    // The writer may have taken statistics, and a call have come before the worker had found that nothing waits.
    expect(commits).toBeLessThanOrEqual(2 * calls + 4);
  });
});

const postgres = backends.find(({ name }) => name === 'postgres');
describe.runIf(postgres)('statements and round trips per task [postgres]', () => {
  it.each([
    { concurrency: 1, most: 1.5 },
    { concurrency: 8, most: 0.8 },
    { concurrency: 64, most: 0.15 },
    { concurrency: 256, most: 0.06 },
  ])('draining at $concurrency: $most at most', async ({ concurrency, most }) => {
    const world = await filled(postgres);
    const counter = await MessageCounter.before(world.dsn);
    opened.push(counter);
    const store = new PostgresStore(counter.dsn);
    opened.push(store);
    await store.connect();
    const [statements, roundTrips] = [counter.statements, counter.roundTrips];
    await drain(world, { store, concurrency });
    expect((counter.statements - statements) / TASKS).toBeLessThanOrEqual(most);
    expect((counter.roundTrips - roundTrips) / TASKS).toBeLessThanOrEqual(most);
  });

  it('a call() beside an idle worker: its submit, its settlement, and a look behind them', async () => {
    const world = await filled(postgres, 1);
    const counter = await MessageCounter.before(world.dsn);
    opened.push(counter);
    const store = new PostgresStore(counter.dsn);
    opened.push(store);
    const client = new CairnQ(store);
    // Polls would be statements too.
    const worker = world.worker({ store, pollIntervalMs: 60_000 });
    worker.task('noop', async () => 'done');
    const calls = 20;
    const statements = await worker.background(async () => {
      await client.call('noop');
      const before = counter.statements;
      for (let call = 1; call <= calls; call += 1) {
        await client.call('noop', null, { pollMs: 60_000 });
        // The look has been sent, and is over when the next call comes.
        await until(() => counter.statements >= before + 3 * call);
        await client.queueDepth('default', 1);
      }
      return counter.statements - before;
    });
    expect(statements).toBeGreaterThanOrEqual(4 * calls);
    // With room for a submit that came before the worker had heard of its look.
    expect(statements).toBeLessThanOrEqual(4 * calls + 10);
  });
});
