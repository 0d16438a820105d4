import { expect, it } from 'vitest';
import { deferred, rejection } from './events.js';
import { cairnq, onEveryBackend, setStage } from './stage.js';

/** Runs `act(ctx)` as the handler of one task and gives what it returned. */
async function inside(stage, act, { submit = {}, options = {}, payload = { n: 1 } } = {}) {
  const client = stage.client();
  const outcome = deferred();
  stage.run(
    {
      inside: async (ctx) => {
        try {
          outcome.resolve(await act(ctx));
        } catch (error) {
          outcome.reject(error);
        }
      },
    },
    options,
  );
  const { id } = await client.submit('inside', payload, submit);
  const value = await outcome.promise;
  return { id, value, client, task: await client.wait(id) };
}

onEveryBackend('9 TaskContext', (backend) => {
  it('9 tells what the attempt is about', async () => {
    const stage = await setStage(backend);
    const { id, value } = await inside(
      stage,
      (ctx) => ({
        taskId: ctx.taskId,
        name: ctx.name,
        queue: ctx.queue,
        attempt: ctx.attempt,
        metadata: ctx.metadata,
        rootId: ctx.rootId,
        correlationId: ctx.correlationId,
        payload: ctx.payload,
        same: Object.is(ctx.payload, ctx.payload),
        worker: /^worker_/.test(ctx.workerId),
        settled: ctx.settled,
        lostLease: ctx.lostLease,
        signal: ctx.signal instanceof AbortSignal && Object.is(ctx.signal, ctx.signal),
        aborted: ctx.signal.aborted,
      }),
      { submit: { metadata: { m: [1] }, rootId: 'task_root', correlationId: 'c-1' } },
    );
    expect(value).toEqual({
      taskId: id,
      name: 'inside',
      queue: 'default',
      attempt: 1,
      metadata: { m: [1] },
      rootId: 'task_root',
      correlationId: 'c-1',
      payload: { n: 1 },
      same: true,
      worker: true,
      settled: false,
      lostLease: false,
      signal: true,
      aborted: false,
    });
  });

  it('9 metadata is {} and the root the task itself when nothing was given', async () => {
    const stage = await setStage(backend);
    const { id, value } = await inside(stage, (ctx) => [
      ctx.metadata,
      ctx.rootId,
      ctx.correlationId,
    ]);
    expect(value).toEqual([{}, id, null]);
  });

  it('9 progress writes a value and a message, and gives the task', async () => {
    const stage = await setStage(backend);
    const { value } = await inside(stage, async (ctx) => {
      const first = await ctx.progress(0.25, 'reading');
      const seen = await stage.row(ctx.taskId);
      const second = await ctx.progress(null, 'writing');
      const third = await ctx.progress(0.75);
      return [first, second, third, seen].map(({ progress, message }) => [progress, message]);
    });
    expect(value).toEqual([
      [0.25, 'reading'],
      [0.25, 'writing'],
      [0.75, 'writing'],
      [0.25, 'reading'],
    ]);
  });

  it('9 heartbeat gives the task', async () => {
    const stage = await setStage(backend);
    const { id, value } = await inside(stage, (ctx) => ctx.heartbeat());
    expect(value).toMatchObject({ id, status: 'running', payload: { n: 1 } });
  });

  it('9 canceled tells of a request, and is true for a missing row', async () => {
    const stage = await setStage(backend);
    const options = { leaseMs: 60_000 };
    const { value, client, task } = await inside(
      stage,
      async (ctx) => {
        const before = await ctx.canceled();
        await stage.sql('update cairnq_tasks set cancel_requested_at_ms = 5');
        return [before, await ctx.canceled()];
      },
      { options },
    );
    expect(value).toEqual([false, true]);
    expect(task.status).toBe('canceled');
    const gone = deferred();
    stage.run({
      gone: async (ctx) => {
        await stage.sql('delete from cairnq_tasks where id = ?', [ctx.taskId]);
        gone.resolve(await ctx.canceled());
      },
    });
    await client.submit('gone');
    expect(await gone.promise).toBe(true);
  });

  it('9 succeed gives the task; after it nothing more can be settled', async () => {
    const stage = await setStage(backend);
    const { id, value, task } = await inside(stage, async (ctx) => {
      const settled = await ctx.succeed({ ok: 1 });
      return [settled, ctx.settled, await ctx.succeed(2), await ctx.fail('no')];
    });
    expect(value[0]).toMatchObject({ id, status: 'succeeded', result: { ok: 1 }, progress: 1 });
    expect(value.slice(1)).toEqual([true, null, null]);
    expect(task).toMatchObject({ status: 'succeeded', result: { ok: 1 } });
  });

  it('9 fail gives the task, queued again or failed', async () => {
    const stage = await setStage(backend);
    const retried = await inside(stage, (ctx) => (ctx.attempt === 1 ? ctx.fail('once') : null), {
      options: { retryBackoffMs: 100 },
    });
    expect(retried.value).toMatchObject({
      status: 'queued',
      error: { message: 'once' },
      attempt: 1,
    });
    expect(retried.value.run_at_ms).toBeGreaterThanOrEqual(retried.value.updated_at_ms + 50);
    expect(retried.task).toMatchObject({ status: 'succeeded', attempt: 2 });
  });

  it('9 succeed has complete semantics: a cancel request wins', async () => {
    const stage = await setStage(backend);
    const { value } = await inside(stage, async (ctx) => {
      await stage.sql('update cairnq_tasks set cancel_requested_at_ms = 5');
      return ctx.succeed('too late');
    });
    expect(value).toMatchObject({ status: 'canceled', result: null });
  });

  it('9 an unserializable result of succeed rejects, and the task can still be settled', async () => {
    const stage = await setStage(backend);
    const { value, task } = await inside(stage, async (ctx) => {
      const error = await rejection(ctx.succeed(10n));
      return [error, ctx.settled, (await ctx.succeed('text')).status];
    });
    expect(value[0]).toBeInstanceOf(cairnq.SerializationError);
    expect(value.slice(1)).toEqual([false, 'succeeded']);
    expect(task.result).toBe('text');
  });

  it('9 submit wires parent, root and correlation; an explicit undefined does not unwire', async () => {
    const stage = await setStage(backend);
    const { id, value } = await inside(
      stage,
      (ctx) =>
        Promise.all([
          ctx.submit('child', { c: 1 }),
          ctx.submit({ name: 'child' }, null, {
            parentId: undefined,
            rootId: undefined,
            correlationId: undefined,
            queue: 'children',
          }),
          ctx.submit('child', null, { correlationId: 'own', rootId: 'task_own' }),
        ]),
      { submit: { rootId: 'task_root', correlationId: 'c-1' } },
    );
    const wired = { parent_id: id, root_id: 'task_root', correlation_id: 'c-1' };
    expect(value[0]).toMatchObject({ name: 'child', payload: { c: 1 }, ...wired });
    expect(value[1]).toMatchObject({ queue: 'children', ...wired });
    expect(value[2]).toMatchObject({ parent_id: id, root_id: 'task_own', correlation_id: 'own' });
  });

  it('9 wait waits for another task', async () => {
    const stage = await setStage(backend);
    const { value } = await inside(stage, async (ctx) => {
      const child = await ctx.submit('child', null, { queue: 'children' });
      const timeout = await rejection(ctx.wait(child.id, { timeoutMs: 20 }));
      stage.run({ child: () => 'grown' }, { queues: ['children'] });
      return [timeout, await ctx.wait(child.id)];
    });
    expect(value[0]).toBeInstanceOf(cairnq.TaskTimeout);
    expect(value[1]).toMatchObject({ status: 'succeeded', result: 'grown' });
  });

  it('9 after a lost lease every write rejects without touching the database', async () => {
    const stage = await setStage(backend);
    const { value } = await inside(
      stage,
      async (ctx) => {
        await stage.sql("update cairnq_tasks set worker_id = 'worker_other'");
        const first = await rejection(ctx.progress(0.5));
        // The task is ours again by force: a context that gave up must not write to it all the same.
        await stage.sql('update cairnq_tasks set worker_id = ?', [ctx.workerId]);
        const writes = [
          () => ctx.progress(0.9),
          () => ctx.heartbeat(),
          () => ctx.succeed('late'),
          () => ctx.fail('late'),
          () => ctx.submit('child'),
        ];
        const errors = [first];
        for (const write of writes) errors.push(await rejection(write()));
        const row = await stage.row(ctx.taskId);
        await stage.sql("update cairnq_tasks set status = 'failed', lease_until_ms = null");
        return { errors, lost: ctx.lostLease, reason: ctx.signal.reason, row, id: ctx.taskId };
      },
      { options: { leaseMs: 60_000 } },
    );
    for (const error of value.errors) {
      expect(error).toBeInstanceOf(cairnq.LostLease);
      expect(error).toMatchObject({ taskId: value.id, message: `lost lease on task ${value.id}` });
    }
    expect(value.lost).toBe(true);
    expect(value.reason).toBeInstanceOf(cairnq.LostLease);
    expect(value.row).toMatchObject({ status: 'running', progress: null, result: null });
    expect(await stage.client().list({ name: 'child' })).toEqual([]);
  });

  it('9 on a settled task a write rejects with LostLease, the lease not marked lost', async () => {
    const stage = await setStage(backend);
    const { value } = await inside(stage, async (ctx) => {
      await ctx.succeed('done');
      const errors = [await rejection(ctx.progress(0.5)), await rejection(ctx.heartbeat())];
      return { errors, lost: ctx.lostLease, aborted: ctx.signal.aborted, settled: ctx.settled };
    });
    for (const error of value.errors) expect(error).toBeInstanceOf(cairnq.LostLease);
    expect(value).toMatchObject({ lost: false, aborted: false, settled: true });
  });

  it('9 a lost task is not settled by the return of its handler', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const returned = deferred();
    stage.run(
      {
        loses: async (ctx) => {
          await stage.sql("update cairnq_tasks set worker_id = 'worker_other'");
          await rejection(ctx.progress(0.1));
          await stage.sql('update cairnq_tasks set worker_id = ?', [ctx.workerId]);
          returned.resolve();
          return 'not to be recorded';
        },
        next: () => 'next',
      },
      { leaseMs: 60_000 },
    );
    const { id } = await client.submit('loses');
    await returned.promise;
    expect(await client.call('next', null, { queue: 'default' })).toBe('next');
    expect(await client.get(id)).toMatchObject({ status: 'running', result: null });
  });

  it('9 a public TaskContext works on a claimed task through the store', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const { id } = await client.submit('by hand', { n: 1 });
    const [task] = await store.claim({
      queues: ['default'],
      workerId: 'worker_hand',
      leaseMs: 5000,
    });
    const ctx = new cairnq.TaskContext(store, task, 'worker_hand', 5000, { retryBackoffMs: 0 });
    expect(ctx).toMatchObject({
      taskId: id,
      attempt: 1,
      payload: { n: 1 },
      workerId: 'worker_hand',
    });
    expect((await ctx.progress(0.5, 'half')).progress).toBe(0.5);
    expect((await ctx.heartbeat()).id).toBe(id);
    expect(await ctx.canceled()).toBe(false);
    expect((await ctx.submit('child')).parent_id).toBe(id);
    expect(await ctx.fail('again')).toMatchObject({
      status: 'queued',
      error: { message: 'again' },
    });
    expect(ctx.settled).toBe(true);
  });
});
