/** SPEC section 12: what the old SDK did wrong. Each test fails on the defect. */
import { expect, it } from 'vitest';
import { deferred, pass, rejection, until, within, worstGap } from './spec/events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './spec/stage.js';

const LONG = 2 ** 31 + 5;

onEveryBackend('12 defects of the old SDK', (backend) => {
  it('12 string payloads blocked the queue', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ echo: (_ctx, payload) => payload });
    expect(await within(5000, client.call('echo', 'text'), 'a string payload')).toBe('text');
    expect(await within(5000, client.call('echo', { n: 1 }), 'the task behind it')).toEqual({
      n: 1,
    });
  });

  it('12 a renewal crossing a settlement was read as a lost lease', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const lost = [];
    stage.run(
      {
        quick: async (ctx) => {
          ctx.signal.addEventListener('abort', () => lost.push(ctx.taskId));
          await ctx.succeed('done');
          if (ctx.lostLease) lost.push(ctx.taskId);
        },
      },
      { concurrency: 8, leaseMs: 3000, heartbeatIntervalMs: 1 },
    );
    await client.submitMany(Array.from({ length: 400 }, () => ({ name: 'quick' })));
    await until(async () => (await client.stats()).default.succeeded === 400, {
      timeoutMs: 20_000,
    });
    expect(lost).toEqual([]);
    // With a beat this short any pause of the thread is reported as a block; nothing else may be.
    const others = stage.reports.filter(({ error }) => !(error instanceof cairnq.EventLoopBlocked));
    expect(others).toEqual([]);
  });

  it('12 purge was quadratic in keys', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    for (let batch = 0; batch < 4; batch++) {
      await client.submitMany(
        Array.from({ length: 5000 }, (_, i) => ({ name: 'keyed', key: `key ${batch} ${i}` })),
      );
    }
    await stage.sql("update cairnq_tasks set status = 'canceled', completed_at_ms = 1");
    const from = performance.now();
    expect(await client.purge({ limit: 1000 })).toHaveLength(1000);
    expect(performance.now() - from).toBeLessThan(1000);
    const [{ n }] = await stage.sql('select count(*) as n from cairnq_task_keys');
    expect(n).toBe(19_000);
  });

  it('12 a ProtocolVersionMismatch was thrown only once', async () => {
    const stage = await setStage(backend);
    const first = stage.client();
    await first.connect();
    await first.close();
    await stage.sql("update cairnq_meta set value = '9' where key = 'protocol_version'");
    const client = stage.client({ store: stage.store() });
    for (let use = 0; use < 3; use++) {
      expect(await rejection(client.submit('refused'))).toBeInstanceOf(
        cairnq.ProtocolVersionMismatch,
      );
    }
  });

  it('12 timers past 2^31 ms fired at once', async () => {
    const stage = await setStage(backend);
    const client = stage.client({ maxQueueDepth: { full: 1 }, maxQueueWaitMs: LONG });
    stage.run({ held: () => pass(200) }, { maxRunMs: LONG, pollIntervalMs: LONG, leaseMs: LONG });
    const { id } = await client.submit('held');
    const ended = await client.wait(id, { timeoutMs: LONG, pollMs: LONG });
    expect(ended).toMatchObject({ status: 'succeeded', attempt: 1 });

    await client.submit('fills', null, { queue: 'full' });
    let settled = false;
    const refused = client.submit('waits', null, { queue: 'full' }).finally(() => {
      settled = true;
    });
    const never = client.wait('task_never', { timeoutMs: LONG, pollMs: LONG }).finally(() => {
      settled = true;
    });
    await pass(150);
    expect(settled).toBe(false);
    refused.catch(() => {});
    never.catch(() => {});
  });

  it('12 a freed resource waited a whole poll', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submitMany(Array.from({ length: 5 }, () => ({ name: 'gpu' })));
    stage.run(
      { gpu: [{ resource: 'gpu' }, () => pass(5)] },
      { concurrency: 4, resources: { gpu: 1 }, pollIntervalMs: 30_000 },
    );
    await until(async () => (await client.stats()).default.succeeded === 5, { timeoutMs: 5000 });
  });

  it('12 a retry becoming due waited a whole poll', async () => {
    const stage = await setStage(backend);
    stage.run(
      {
        again: (ctx) => {
          if (ctx.attempt === 1) throw new Error('once');
        },
      },
      { retryBackoffMs: 50, pollIntervalMs: 30_000 },
    );
    await within(5000, stage.client().call('again'), 'the second attempt');
  });

  it('12 dispatch went in id order instead of priority', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const priorities = Array.from({ length: 20 }, (_, i) => (i * 7) % 20);
    await client.submitMany(
      priorities.map((priority) => ({ name: 'p', payload: priority, priority })),
    );
    const started = [];
    stage.run({ p: (_ctx, payload) => void started.push(payload) }, { concurrency: 20 });
    await until(() => started.length === 20);
    expect(started).toEqual([...priorities].sort((a, b) => b - a));
  });

  it('12 names like constructor or __proto__ broke gate, resources and stats', async () => {
    const stage = await setStage(backend);
    const client = stage.client({ maxQueueDepth: { other: 1 } });
    const odd = ['constructor', '__proto__', 'toString'];
    const resources = Object.fromEntries(odd.map((name) => [name, 1]));
    const worker = stage.worker({ queues: odd, resources, concurrency: 3 });
    for (const name of odd) worker.task(name, { resource: name }, (ctx) => ctx.queue);
    stage.start(worker);
    for (const name of odd) {
      expect(await client.call(name, null, { queue: name }), name).toBe(name);
    }
    const stats = await client.stats();
    for (const name of odd) {
      expect(Object.getOwnPropertyDescriptor(stats, name)?.value.succeeded, name).toBe(1);
    }
  });

  it('12 an async onError that rejects was an unhandled rejection', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client();
    const unhandled = [];
    const note = (error) => unhandled.push(error);
    process.on('unhandledRejection', note);
    stage.atEnd(() => process.off('unhandledRejection', note));
    const genuine = store.claimSession.bind(store);
    let asked = 0;
    store.claimSession = (...args) => {
      asked += 1;
      return asked <= 2 ? Promise.reject(new Error('no')) : genuine(...args);
    };
    let told = 0;
    const onError = async () => {
      told += 1;
      throw new Error('the reporter is broken');
    };
    stage.run({ echo: () => 1 }, { store, pollIntervalMs: 10, onError });
    expect(await client.call('echo')).toBe(1);
    await pass(50);
    expect(told).toBe(2);
    expect(unhandled).toEqual([]);
  });

  it('12 close() dropped accepted writes', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const writes = Array.from({ length: 300 }, (_, i) => client.submit('accepted', i));
    await client.close();
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await stage.sql('select count(*) as n from cairnq_tasks')).toEqual([{ n: 300 }]);
  });

  it('12 close() hung up to an hour after a manual retention sweep', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const sweeper = new cairnq.RetentionSweeper(store, { olderThanMs: 0 });
    sweeper.start();
    await sweeper.sweep();
    await within(2000, Promise.resolve(sweeper.stop()), 'stop()');
    const client = stage.client({ store, retention: { olderThanMs: 0 } });
    await client.submit('swept');
    await new cairnq.RetentionSweeper(store, { olderThanMs: 0 }).sweep();
    await within(2000, client.close(), 'close()');
  });
});

onBackend('sqlite', '12 defects of the old SDK', (backend) => {
  it('12 a failing open under background() killed the process', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('background.js', { path: stage.world.directory });
    expect((await peer.event('rejected')).message).toEqual(expect.any(String));
    await peer.event('alive');
    expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
    expect(peer.stderr).toBe('');
  });

  it('12 opening a migrated file took the write lock and blocked the loop', async () => {
    const stage = await setStage(backend);
    const first = stage.client();
    const { id } = await first.submit('there');
    await first.close();
    const holder = stage.peer('lock.js');
    await holder.event('held');
    const client = stage.client({ store: stage.store() });
    const gap = await worstGap(async () => {
      expect((await within(2000, client.get(id), 'a read')).id).toBe(id);
    });
    expect(gap).toBeLessThan(200);
  });

  it('12 failed settlements were never retried, so handlers ran twice', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const started = deferred();
    const opened = deferred();
    let runs = 0;
    stage.run(
      {
        once: async () => {
          runs += 1;
          started.resolve();
          await opened.promise;
          throw new cairnq.TaskError('final');
        },
      },
      { store: stage.store({ busyTimeoutMs: 30 }), leaseMs: 20_000 },
    );
    const { id } = await client.submit('once');
    await started.promise;
    const holder = stage.peer('lock.js', { ms: 500 });
    await holder.event('held');
    opened.resolve();
    expect(await client.wait(id)).toMatchObject({ status: 'failed', attempt: 1 });
    expect(runs).toBe(1);
  });

  it('12 :memory: came back empty after close()', async () => {
    const stage = await setStage(backend);
    const client = cairnq.CairnQ.sqlite(':memory:');
    stage.atEnd(() => client.close());
    const { id } = await client.submit('remembered');
    await client.close();
    const outcome = await client.get(id).catch((error) => error);
    // Either it is still there or the use is refused; an empty queue would be a silent loss.
    if (outcome instanceof Error) expect(outcome.message).not.toBe('');
    else expect(outcome).toMatchObject({ id, status: 'queued' });
  });
});

onBackend('postgres', '12 defects of the old SDK', (backend) => {
  it('12 an idle Postgres connection being dropped killed the process', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('worker.js', { handlers: { echo: ['echo'] } });
    await peer.event('running');
    await stage.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    expect(await stage.client().call('echo', 1)).toBe(1);
    expect(peer.exit).toBe(undefined);
  });

  it('12 a Postgres store used again after close never listened again', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    await store.connect();
    await store.close();
    await store.connect();
    const woken = store.claimWake(['default'], 30_000);
    await pass(200);
    const other = stage.client({ store: stage.store() });
    await other.submit('notified');
    await within(3000, woken, 'claimWake');
  });
});
