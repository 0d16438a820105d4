import { expect, it } from 'vitest';
import { deferred, pass, until } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

/** How many handlers run at once when ten tasks wait and none may end. */
async function running(stage, options, runOptions) {
  const client = stage.client();
  await client.submitMany(Array.from({ length: 10 }, () => ({ name: 'held' })));
  const opened = deferred();
  let started = 0;
  const worker = stage.worker(options);
  worker.task('held', () => {
    started += 1;
    return opened.promise;
  });
  stage.start(worker, runOptions);
  await until(() => started >= 1);
  // Several idle polls later nothing more may have started: that time passes is the subject.
  await pass(200);
  const peak = started;
  opened.resolve();
  return peak;
}

onEveryBackend('8.1 construction', (backend) => {
  it.each([
    ['concurrency by default', {}, undefined, 1],
    ['concurrency: 3', { concurrency: 3 }, undefined, 3],
    ['a fraction, floored', { concurrency: 2.9 }, undefined, 2],
    ['below one, counted as one', { concurrency: -4 }, undefined, 1],
    ['zero, counted as one', { concurrency: 0 }, undefined, 1],
    ['run({concurrency}) instead', { concurrency: 1 }, { concurrency: 4 }, 4],
  ])('8.1 %s', async (_, options, runOptions, expected) => {
    const stage = await setStage(backend);
    expect(await running(stage, options, runOptions)).toBe(expected);
  });

  it.each([
    [{ maxRunMs: 0 }, 'maxRunMs must be > 0, got 0'],
    [{ maxRunMs: -5 }, 'maxRunMs must be > 0, got -5'],
    [{ maxRunMs: Number.NaN }, 'maxRunMs must be > 0, got NaN'],
    [{ maxInFlightBytes: 0 }, 'maxInFlightBytes must be > 0, got 0'],
    [{ maxInFlightBytes: -1 }, 'maxInFlightBytes must be > 0, got -1'],
    [{ resources: { gpu: 0 } }, 'resources["gpu"] must be an integer >= 1, got 0'],
    [{ resources: { gpu: 1.5 } }, 'resources["gpu"] must be an integer >= 1, got 1.5'],
    [
      { resources: { ok: 1, gpu: Number.NaN } },
      'resources["gpu"] must be an integer >= 1, got NaN',
    ],
    [{ concurrency: Number.NaN }, /concurrency/],
    [{ concurrency: Infinity }, /concurrency/],
    [{ leaseMs: 0 }, /leaseMs/],
    [{ leaseMs: -1 }, /leaseMs/],
    [{ prefetch: -1 }, /prefetch/],
    [{ prefetch: 1.5 }, /prefetch/],
    [{ prefetch: 'many' }, /prefetch/],
    [{ maxBlockedMs: -1 }, /maxBlockedMs/],
  ])('8.1 %o is refused', async (options, message) => {
    const stage = await setStage(backend);
    const store = stage.store();
    const make = () => new cairnq.Worker(store, ['default'], options);
    if (message instanceof RegExp) expect(make).toThrow(message);
    else expect(make).toThrow(new Error(message));
  });

  it.each([Number.NaN, Infinity])('8.1 run refuses a concurrency of %d', async (concurrency) => {
    const stage = await setStage(backend);
    const worker = stage.worker();
    await expect((async () => worker.run({ concurrency }))()).rejects.toThrow(/concurrency/);
  });

  it('8.1 every option is accepted, and null ones count as absent', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const names = `concurrency leaseMs heartbeatIntervalMs pollIntervalMs claimBatch retryBackoffMs
      retryBackoffMaxMs maxRunMs maxInFlightBytes resources maxQueueDepth maxQueueWaitMs
      queuePollIntervalMs onError maxBlockedMs prefetch`.split(/\s+/);
    new cairnq.Worker(
      store,
      ['default'],
      Object.fromEntries(names.map((name) => [name, undefined])),
    );
    const worker = stage.worker({
      concurrency: 2,
      leaseMs: 5000,
      heartbeatIntervalMs: 1000,
      pollIntervalMs: 20,
      claimBatch: 10,
      retryBackoffMs: 0,
      retryBackoffMaxMs: 10,
      maxRunMs: 5000,
      maxInFlightBytes: 1_000_000,
      resources: { gpu: 1 },
      maxQueueDepth: 100,
      maxBlockedMs: 0,
      prefetch: 3,
    });
    worker.task('all', () => 'ran');
    stage.start(worker);
    expect(await stage.client().call('all')).toBe('ran');
  });

  it('8.1 a worker has an id of its own, also as workerId', async () => {
    const stage = await setStage(backend);
    const [a, b] = [stage.worker(), stage.worker()];
    expect(a.id).not.toBe(b.id);
    expect(a.workerId).toBe(a.id);
    const seen = deferred();
    a.task('whose', (ctx) => seen.resolve(ctx.workerId));
    stage.start(a);
    const { id } = await stage.client().submit('whose');
    expect(await seen.promise).toBe(a.id);
    expect((await stage.client().wait(id)).worker_id).toBe(a.id);
  });

  it('8.1 the lease of a claimed task lasts leaseMs', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    stage.run({ held: () => opened.promise }, { leaseMs: 40_000 });
    const { id } = await client.submit('held');
    await until(async () => (await client.get(id)).status === 'running');
    const task = await client.get(id);
    expect(task.lease_until_ms - task.updated_at_ms).toBe(40_000);
    opened.resolve();
  });

  it('8.1 durations past 2^31 ms behave as written', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const long = 2 ** 31 + 1000;
    const starts = [];
    stage.run(
      {
        long: (ctx) => {
          starts.push(ctx.attempt);
          if (ctx.attempt === 1) throw new Error('again, much later');
        },
        ok: () => 'ok',
      },
      {
        leaseMs: long,
        heartbeatIntervalMs: long,
        pollIntervalMs: long,
        maxRunMs: long,
        maxBlockedMs: long,
        retryBackoffMs: long,
        retryBackoffMaxMs: long,
      },
    );
    const { id } = await client.submit('long');
    expect(await client.call('ok', null, { waitTimeoutMs: long })).toBe('ok');
    const task = await until(async () => {
      const row = await client.get(id);
      return row.status === 'queued' && row.attempt === 1 && row;
    });
    expect(task.run_at_ms - task.updated_at_ms).toBeGreaterThanOrEqual(2 ** 30);
    expect(starts).toEqual([1]);
  });
});

onBackend('sqlite', '8.1 construction', (backend) => {
  it('8.1 Worker.sqlite works the default queue of a file', async () => {
    const stage = await setStage(backend);
    const worker = cairnq.Worker.sqlite(stage.path, { busyTimeoutMs: 1000, pollIntervalMs: 50 });
    stage.atEnd(() => worker.close());
    worker.task('made', () => 'by hand');
    stage.start(worker);
    expect(await stage.client().call('made')).toBe('by hand');
  });

  it('8.1 Worker.sqlite takes the queues among its options', async () => {
    const stage = await setStage(backend);
    const worker = cairnq.Worker.sqlite(stage.path, {
      queues: ['mail', 'sms'],
      pollIntervalMs: 50,
    });
    stage.atEnd(() => worker.close());
    worker.task('made', (ctx) => ctx.queue);
    stage.start(worker);
    for (const queue of ['mail', 'sms']) {
      expect(await stage.client().call('made', null, { queue })).toBe(queue);
    }
  });
});
