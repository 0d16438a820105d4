import { expect, it } from 'vitest';
import { pass, until, within } from './events.js';
import { done, held } from './handlers.js';
import { onBackend, onEveryBackend, setStage } from './stage.js';

/** Submits `n` tasks of a name and gives their ids in claim order. */
async function submitted(client, name, n, options = {}) {
  const tasks = Array.from({ length: n }, (_, i) => ({ name, payload: i, ...options }));
  return (await client.submitMany(tasks)).map(({ id }) => id);
}

onEveryBackend('8.3 claiming', (backend) => {
  it('8.3 only registered names and only the queues of the worker are claimed', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const foreign = await client.submit('foreign');
    const elsewhere = await client.submit('mine', null, { queue: 'elsewhere' });
    stage.run({ mine: () => 'ran', limited: [{ concurrency: 1 }, () => 'ran'] });
    expect(await client.call('mine')).toBe('ran');
    expect(await client.call('limited')).toBe('ran');
    for (const { id } of [foreign, elsewhere]) {
      expect(await client.get(id)).toMatchObject({ status: 'queued', attempt: 0 });
    }
  });

  it('8.3 a worker without handlers claims nothing', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('anything');
    stage.start(stage.worker({ pollIntervalMs: 10 }));
    await pass(100);
    expect(await client.get(id)).toMatchObject({ status: 'queued', attempt: 0 });
  });

  it('8.3 concurrency bounds calls, a batch counting as one', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'batched', 40);
    const plain = held();
    stage.run({ batched: [{ batch: 10 }, plain.handler] }, { concurrency: 2 });
    await until(() => plain.counts.now === 2);
    await pass(100);
    expect(plain.counts).toMatchObject({ now: 2, total: 2 });
    plain.open();
    await done(client, 40);
    expect(plain.counts).toMatchObject({ peak: 2, total: 4 });
  });

  it("8.3 a name's own concurrency is never exceeded, and others use the other slots", async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'limited', 12);
    const limited = held();
    const free = held();
    stage.run(
      { limited: [{ concurrency: 2 }, limited.handler], free: free.handler },
      { concurrency: 6 },
    );
    await until(() => limited.counts.now === 2);
    await submitted(client, 'free', 12);
    await until(() => free.counts.now === 4);
    limited.open();
    free.open();
    await done(client, 24);
    expect(limited.counts.peak).toBe(2);
    expect(free.counts.peak).toBeLessThanOrEqual(6);
  });

  it('8.3 a resource is shared by all names that declare it', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    for (const name of ['a', 'b']) await submitted(client, name, 6);
    const gpu = held();
    const free = held();
    stage.run(
      {
        a: [{ resource: 'gpu' }, gpu.handler],
        b: [{ resource: 'gpu', concurrency: 2 }, gpu.handler],
        c: free.handler,
      },
      { concurrency: 8, resources: { gpu: 3 } },
    );
    await until(() => gpu.counts.now === 3);
    await submitted(client, 'c', 6);
    await until(() => free.counts.now === 5);
    gpu.open();
    free.open();
    await done(client, 18);
    expect(gpu.counts.peak).toBe(3);
  });

  it('8.3 rows become calls grouped by name and cut to the batch size, never padded', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'a', 7);
    await submitted(client, 'b', 2);
    const calls = [];
    const note = (contexts) => {
      calls.push([contexts[0].name, contexts.map(({ payload }) => payload)]);
      expect(new Set(contexts.map(({ name }) => name)).size).toBe(1);
    };
    stage.run({ a: [{ batch: 3 }, note], b: [{ batch: 3 }, note] }, { concurrency: 10 });
    await done(client, 9);
    const sizes = (name) =>
      calls.filter(([called]) => called === name).map(([, payloads]) => payloads.length);
    expect(sizes('a').sort()).toEqual([1, 3, 3]);
    expect(sizes('b')).toEqual([2]);
  });

  it('8.3 a batch is never waited for', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const sizes = [];
    stage.run({ a: [{ batch: 100 }, (contexts) => void sizes.push(contexts.length)] });
    const { id } = await client.submit('a');
    await within(5000, client.wait(id), 'a batch of one');
    expect(sizes).toEqual([1]);
  });

  it.each([
    ['plain', {}],
    ['with a ceiling of its own', { concurrency: 4 }],
  ])('8.3 within a draw the highest priority starts first (%s)', async (_, options) => {
    const stage = await setStage(backend);
    const client = stage.client();
    const priorities = [3, 9, -2, 7, 0, 5, 1, 8];
    await client.submitMany(
      priorities.map((priority) => ({ name: 'p', payload: priority, priority })),
    );
    const started = [];
    stage.run({ p: [options, (_ctx, payload) => void started.push(payload)] }, { concurrency: 4 });
    await done(client, 8);
    expect(started).toEqual([...priorities].sort((a, b) => b - a));
  });

  it('8.3 claimBatch is the rows of a draw', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'a', 6);
    const sizes = [];
    stage.run(
      { a: [{ batch: 10 }, (contexts) => void sizes.push(contexts.length)] },
      { claimBatch: 20, concurrency: 1 },
    );
    await done(client, 6);
    expect(sizes).toEqual([6]);
    const running = held();
    stage.run({ b: running.handler }, { claimBatch: 2, concurrency: 6 });
    await submitted(client, 'b', 6);
    // The ceiling is that of one draw; further rounds fill the rest of the slots.
    await until(() => running.counts.now === 6);
    running.open();
    await done(client, 12);
  });

  it('8.3 sources take turns: a deep backlog of one name does not starve another', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'deep', 300);
    await submitted(client, 'rare', 3);
    const order = [];
    const note = (ctx) => void order.push(ctx.name);
    stage.run(
      { deep: [{ concurrency: 1 }, note], rare: [{ concurrency: 1 }, note] },
      { prefetch: 0 },
    );
    await until(() => order.filter((name) => name === 'rare').length === 3);
    expect(order.length).toBeLessThan(50);
    await until(() => order.length === 303);
  });

  it('8.3 the byte budget bounds what is in flight, and a larger payload runs alone', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const text = 'x'.repeat(1000);
    const sizes = [1, 1, 1, 1, 10, 1, 1, 1];
    await client.submitMany(
      sizes.map((n) => ({ name: 'heavy', payload: { text: text.repeat(n) } })),
    );
    let bytes = 0;
    const seen = [];
    stage.run(
      {
        heavy: async (_ctx, payload) => {
          const own = JSON.stringify(payload).length;
          bytes += own;
          seen.push([own, bytes]);
          await pass(5);
          bytes -= own;
        },
      },
      { concurrency: 8, maxInFlightBytes: 3200 },
    );
    await done(client, 8);
    for (const [own, total] of seen) {
      if (own > 3200) expect(total).toBe(own);
      else expect(total).toBeLessThanOrEqual(3200);
    }
    expect(Math.max(...seen.map(([own, total]) => (own > 3200 ? 0 : total)))).toBeGreaterThan(2000);
  });

  it('8.3 a freed slot is filled at once', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'chain', 30);
    stage.run({ chain: () => {} }, { pollIntervalMs: 60_000 });
    await within(10_000, done(client, 30), 'thirty tasks one after the other');
  });

  it('8.3 freed resources and bytes wake the loop at once', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'gpu', 6);
    await submitted(client, 'own', 6);
    stage.run(
      { gpu: [{ resource: 'gpu' }, () => pass(1)], own: [{ concurrency: 1 }, () => pass(1)] },
      { pollIntervalMs: 60_000, concurrency: 4, resources: { gpu: 1 }, maxInFlightBytes: 1 },
    );
    await within(10_000, done(client, 12), 'twelve tasks through narrow doors');
  });

  it('8.3 a retry that becomes due wakes the loop', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run(
      {
        again: (ctx) => {
          if (ctx.attempt < 3) throw new Error('not yet');
          return ctx.attempt;
        },
      },
      { pollIntervalMs: 60_000, retryBackoffMs: 40 },
    );
    expect(await within(10_000, client.call('again'), 'the third attempt')).toBe(3);
  });

  it.each([
    ['while the worker runs', true],
    ['before it runs', false],
  ])(
    '8.3 a delayed task that this process submitted %s wakes the loop when due',
    async (_, first) => {
      const stage = await setStage(backend);
      const client = stage.client();
      const worker = stage.worker({ pollIntervalMs: 60_000 });
      worker.task('later', () => 'done');
      const submit = () => client.submit('later', null, { runAtDelayMs: 300 });
      const early = first ? undefined : await submit();
      stage.start(worker);
      await client.call('later');
      const task = early ?? (await submit());
      const ended = await within(5000, client.wait(task.id), 'the delayed task');
      expect(ended.completed_at_ms).toBeGreaterThanOrEqual(task.run_at_ms);
      expect(ended.completed_at_ms).toBeLessThan(task.run_at_ms + 2000);
    },
  );

  it('8.3 prefetch 0 never claims what cannot start at once', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'quick', 200);
    let worst = 0;
    let started = 0;
    stage.run(
      {
        quick: async () => {
          started += 1;
          if (started % 20 !== 0) return;
          const { running } = (await client.stats()).default;
          worst = Math.max(worst, running);
        },
      },
      { concurrency: 2, prefetch: 0 },
    );
    await done(client, 200);
    // Two running, and two whose settlement may not have been committed yet.
    expect(worst).toBeLessThanOrEqual(4);
  });

  it('8.3 nothing is prefetched for slow handlers', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'slow', 10);
    const slow = held();
    stage.run({ slow: slow.handler }, { concurrency: 2 });
    await until(() => slow.counts.now === 2);
    await pass(100);
    expect((await client.stats()).default).toMatchObject({ running: 2, queued: 8 });
    slow.open();
    await done(client, 10);
  });

  it('8.3 a fast drain runs every task once and in order', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'quick', 3000);
    const runs = [];
    stage.run({ quick: (_ctx, payload) => void runs.push(payload) }, { concurrency: 8 });
    await until(async () => (await client.stats()).default.succeeded === 3000, {
      timeoutMs: 20_000,
    });
    expect(runs).toHaveLength(3000);
    expect(new Set(runs).size).toBe(3000);
    const [{ n }] = await stage.sql('select count(*) as n from cairnq_tasks where attempt <> 1');
    expect(n).toBe(0);
  });

  it('8.3 two workers share a backlog without ever sharing a task', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await submitted(client, 'shared', 600);
    const runs = [];
    const handler = (ctx) => void runs.push(ctx.taskId);
    stage.run({ shared: handler }, { concurrency: 4, store: stage.store() });
    stage.run({ shared: handler }, { concurrency: 4, store: stage.store() });
    await until(async () => (await client.stats()).default.succeeded === 600, {
      timeoutMs: 20_000,
    });
    expect(new Set(runs).size).toBe(600);
    expect(runs).toHaveLength(600);
  });
});

onBackend('sqlite', '8.3 claiming', (backend) => {
  it('8.3 a claim that fails is reported, and tried again after 250 ms', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submit('first');
    const holder = await stage.world.connection();
    await holder.sql('begin immediate');
    stage.run(
      { first: () => 1 },
      { store: stage.store({ busyTimeoutMs: 20 }), pollIntervalMs: 10 },
    );
    await until(() => stage.reports.length >= 2);
    const [{ error, info }] = stage.reports;
    expect(info).toEqual({ phase: 'claim' });
    expect(error).toBeInstanceOf(Error);
    expect(error.code).toBe('SQLITE_BUSY');
    const from = stage.reports.length;
    await pass(600);
    expect(stage.reports.length - from).toBeLessThanOrEqual(3);
    await holder.sql('rollback');
    await done(client, 1);
  });

  it('8.3 an idle worker takes no write lock', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ idle: () => 1 }, { pollIntervalMs: 10, store: stage.store({ busyTimeoutMs: 20 }) });
    await client.call('idle');
    const holder = await stage.world.connection();
    await holder.sql('begin immediate');
    await pass(200);
    expect(stage.reports).toEqual([]);
    await holder.sql('rollback');
  });
});
