import { expect, it } from 'vitest';
import { deferred, rejection, spin, within } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

onEveryBackend('8.5 maxRunMs', (backend) => {
  it('8.5 ends an attempt as handler_timeout, retryable', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const attempts = [];
    stage.run(
      {
        slow: (ctx) => {
          attempts.push(ctx.attempt);
          return ctx.attempt === 1 ? new Promise(() => {}) : 'second';
        },
      },
      { maxRunMs: 150, retryBackoffMs: 0 },
    );
    const { id } = await client.submit('slow');
    const task = await client.wait(id);
    expect(task).toMatchObject({ status: 'succeeded', attempt: 2, result: 'second' });
    expect(task.error).toMatchObject({ code: 'handler_timeout', retryable: true });
    expect(attempts).toEqual([1, 2]);
  });

  it('8.5 a call whose time ran out behind a blocked thread is not begun', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const begun = [];
    const [first, second] = await client.submitMany([{ name: 'blocks' }, { name: 'waits' }]);
    stage.run(
      {
        blocks: (ctx) => {
          begun.push(['blocks', ctx.attempt]);
          if (ctx.attempt === 1) spin(900);
        },
        waits: (ctx) => {
          begun.push(['waits', ctx.attempt]);
        },
      },
      { concurrency: 2, maxRunMs: 300, retryBackoffMs: 0 },
    );
    await client.wait(first.id);
    const task = await client.wait(second.id);
    expect(task).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(task.error.code).toBe('handler_timeout');
    expect(begun).toContainEqual(['blocks', 1]);
    expect(begun).not.toContainEqual(['waits', 1]);
  });

  it('8.5 a handler within its time is left alone', async () => {
    const stage = await setStage(backend);
    stage.run({ quick: () => 'in time' }, { maxRunMs: 5000 });
    expect(await stage.client().call('quick')).toBe('in time');
  });

  it('8.5 the contexts are lost: signal aborted, writes rejected, the late end ignored', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const seen = deferred();
    const { id } = await client.submit('late', null, { maxAttempts: 1 });
    stage.run(
      {
        late: async (ctx) => {
          expect(ctx.signal.aborted).toBe(false);
          await new Promise((resolve) => {
            ctx.signal.addEventListener('abort', resolve, { once: true });
          });
          const writes = {
            progress: () => ctx.progress(0.5, 'late'),
            heartbeat: () => ctx.heartbeat(),
            succeed: () => ctx.succeed('late'),
            fail: () => ctx.fail('late'),
            submit: () => ctx.submit('child'),
          };
          const errors = {};
          for (const [name, write] of Object.entries(writes))
            errors[name] = await rejection(write());
          seen.resolve({
            reason: ctx.signal.reason,
            lost: ctx.lostLease,
            settled: ctx.settled,
            errors,
          });
          return 'late';
        },
      },
      { maxRunMs: 120 },
    );
    const { reason, lost, errors } = await seen.promise;
    expect(reason).toBeInstanceOf(cairnq.LostLease);
    expect(reason.taskId).toBe(id);
    expect(lost).toBe(true);
    for (const [name, error] of Object.entries(errors)) {
      expect(error, name).toBeInstanceOf(cairnq.LostLease);
      expect(error.taskId, name).toBe(id);
    }
    const task = await client.wait(id);
    expect(task).toMatchObject({ status: 'failed', result: null, progress: null });
    expect(task.error.code).toBe('handler_timeout');
    expect(await client.list({ name: 'child' })).toEqual([]);
  });

  it('8.5 a late rejection is ignored, and nothing unhandled remains', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const opened = deferred();
    const unhandled = [];
    const note = (error) => unhandled.push(error);
    process.on('unhandledRejection', note);
    stage.atEnd(() => process.off('unhandledRejection', note));
    stage.run(
      {
        late: async () => {
          await opened.promise;
          throw new Error('too late to matter');
        },
        next: () => 'ran',
      },
      { maxRunMs: 100 },
    );
    const { id } = await client.submit('late', null, { maxAttempts: 1 });
    expect((await client.wait(id)).error.code).toBe('handler_timeout');
    opened.resolve();
    expect(await client.call('next')).toBe('ran');
    expect((await client.get(id)).error.code).toBe('handler_timeout');
    expect(unhandled).toEqual([]);
  });

  it('8.5 the slot, the place of the name and the resource are free at once', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run(
      {
        stuck: [
          { concurrency: 1, resource: 'gpu' },
          (_ctx, { stay }) => stay && new Promise(() => {}),
        ],
      },
      { concurrency: 1, resources: { gpu: 1 }, maxRunMs: 150, pollIntervalMs: 60_000 },
    );
    await client.submit('stuck', { stay: true }, { maxAttempts: 1 });
    const next = await client.submit('stuck', { stay: false });
    expect((await within(5000, client.wait(next.id), 'the next task')).status).toBe('succeeded');
  });

  it('8.5 in a batch, what was settled in time stays as it is', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const [first, second] = await client.submitMany([
      { name: 'batch', maxAttempts: 1 },
      { name: 'batch', maxAttempts: 1 },
    ]);
    stage.run(
      {
        batch: [
          { batch: 2 },
          async (contexts) => {
            await contexts.find(({ taskId }) => taskId === first.id).succeed('in time');
            return new Promise(() => {});
          },
        ],
      },
      { maxRunMs: 200 },
    );
    expect(await client.wait(first.id)).toMatchObject({ status: 'succeeded', result: 'in time' });
    const late = await client.wait(second.id);
    expect(late).toMatchObject({ status: 'failed', error: { code: 'handler_timeout' } });
  });

  it('8.5 fires while the thread is blocked', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const flags = deferred();
    stage.run(
      {
        blocks: (ctx) => {
          const before = ctx.lostLease;
          const end = performance.now() + 5000;
          while (!ctx.lostLease && performance.now() < end);
          // Long enough for the failure to reach the database while nothing here could send it.
          spin(300);
          flags.resolve({ before, after: ctx.lostLease, at: Date.now() });
          return 'first';
        },
      },
      { maxRunMs: 200, retryBackoffMs: 0 },
    );
    const { id } = await client.submit('blocks', null, { maxAttempts: 1 });
    const { before, after, at } = await flags.promise;
    expect([before, after]).toEqual([false, true]);
    const task = await client.wait(id);
    expect(task).toMatchObject({ status: 'failed', attempt: 1, result: null });
    expect(task.error.code).toBe('handler_timeout');
    expect(task.completed_at_ms).toBeLessThan(at - 100);
  });
});
