import { expect, it } from 'vitest';
import { deferred, until, within } from '../spec/events.js';
import { onBackend, onEveryBackend, setStage } from '../spec/stage.js';

/** A worker stopped while its one handler runs, which then does `act`. */
async function stoppedDuring(stage, act, options = {}) {
  const client = stage.client();
  const started = deferred();
  const opened = deferred();
  const worker = stage.worker({ retryBackoffMs: 0, ...options });
  worker.task('last', async (ctx) => {
    started.resolve();
    await opened.promise;
    return act(ctx);
  });
  const running = stage.start(worker);
  const { id } = await client.submit('last', null, { maxAttempts: 1 });
  await started.promise;
  worker.stop();
  return { client, id, running, open: opened.resolve };
}

onEveryBackend('case 11: stop() at a bad moment', (backend) => {
  it('case 11 while a handler fails', async () => {
    const stage = await setStage(backend);
    const { client, id, running, open } = await stoppedDuring(stage, () => {
      throw new Error('at the last moment');
    });
    open();
    await within(5000, running, 'run()');
    expect(await client.get(id)).toMatchObject({ status: 'failed', lease_until_ms: null });
  });

  it('case 11 while a handler submits', async () => {
    const stage = await setStage(backend);
    const { client, id, running, open } = await stoppedDuring(stage, async (ctx) => {
      const children = await Promise.all([1, 2, 3].map((n) => ctx.submit('child', n)));
      return children.length;
    });
    open();
    await within(5000, running, 'run()');
    expect(await client.get(id)).toMatchObject({ status: 'succeeded', result: 3 });
    expect(await client.list({ name: 'child' })).toHaveLength(3);
  });
});

onBackend('sqlite', 'case 11: stop() at a bad moment', (backend) => {
  it('case 11 while the database is locked by another process', async () => {
    const stage = await setStage(backend);
    const { client, id, running, open } = await stoppedDuring(stage, () => 'kept', {
      leaseMs: 20_000,
      store: stage.store({ busyTimeoutMs: 50 }),
    });
    const lock = stage.peer('lock.js');
    await lock.event('held');
    open();
    let over = false;
    running.then(() => {
      over = true;
    });
    // The settlement is refused at least once before the lock goes.
    await until(() => stage.reports.length > 0);
    expect(over).toBe(false);
    lock.send({});
    await within(5000, running, 'run()');
    expect(await client.get(id)).toMatchObject({ status: 'succeeded', result: 'kept', attempt: 1 });
  });
});
