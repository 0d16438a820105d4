import { expect, it } from 'vitest';
import { deferred, pass, until } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

/** Submits `n` tasks of a batch name and gives them back once all have ended. */
async function batched(stage, handler, n, { options = {}, submit = {} } = {}) {
  const client = stage.client();
  const tasks = await client.submitMany(
    Array.from({ length: n }, (_, i) => ({ name: 'batch', payload: i, ...submit })),
  );
  stage.run({ batch: [{ batch: n }, handler] }, { retryBackoffMs: 0, ...options });
  return Promise.all(tasks.map(({ id }) => client.wait(id)));
}

onEveryBackend('8.4 one call', (backend) => {
  it('8.4 a plain handler gets its context and payload, and its value is the result', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const seen = [];
    stage.run({
      plain: (...args) => {
        seen.push(args);
        return { got: args[1] };
      },
    });
    expect(await client.call('plain', { n: 1 })).toEqual({ got: { n: 1 } });
    const [[ctx, payload, ...rest]] = seen;
    expect(ctx).toBeInstanceOf(cairnq.TaskContext);
    expect(payload).toEqual({ n: 1 });
    expect(rest).toEqual([]);
  });

  it('8.4 a batch handler gets one array of contexts and answers with an object by task id', async () => {
    const stage = await setStage(backend);
    const calls = [];
    const tasks = await batched(
      stage,
      (...args) => {
        calls.push(args);
        const answers = Object.create({ inherited: 1 });
        for (const { taskId, payload } of args[0]) {
          if (payload !== 1) answers[taskId] = payload * 10;
        }
        return answers;
      },
      3,
    );
    expect(calls).toHaveLength(1);
    expect(calls[0]).toHaveLength(1);
    expect(calls[0][0].every((ctx) => ctx instanceof cairnq.TaskContext)).toBe(true);
    expect(tasks.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(tasks.map(({ result }) => result)).toEqual([0, null, 20]);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['a string', 'text'],
    ['true', true],
    ['an object of other ids', { task_unknown: 1 }],
  ])('8.4 a batch handler that answers %s completes its tasks with null', async (_, answer) => {
    const stage = await setStage(backend);
    const tasks = await batched(stage, () => answer, 2);
    for (const task of tasks) expect(task).toMatchObject({ status: 'succeeded', result: null });
  });

  it('8.4 returning completes only what the handler did not settle itself', async () => {
    const stage = await setStage(backend);
    const tasks = await batched(
      stage,
      async (contexts) => {
        await contexts[0].succeed('own');
        await contexts[1].fail(new Error('own'), { retryable: false });
        return Object.fromEntries(contexts.map(({ taskId }) => [taskId, 'returned']));
      },
      3,
    );
    expect(tasks.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect(tasks.map(({ result }) => result)).toEqual(['own', null, 'returned']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('all of it');
      },
    ],
    ['rejects', () => Promise.reject(new Error('all of it'))],
  ])('8.4 a handler that %s fails each unsettled task with its own attempt', async (_, act) => {
    const stage = await setStage(backend);
    const tasks = await batched(
      stage,
      async (contexts) => {
        const first = contexts.find(({ payload }) => payload === 0);
        await first?.succeed('saved');
        return act();
      },
      3,
      { submit: { maxAttempts: 2 } },
    );
    expect(tasks[0]).toMatchObject({ status: 'succeeded', result: 'saved', attempt: 1 });
    for (const task of tasks.slice(1)) {
      expect(task).toMatchObject({ status: 'failed', attempt: 2 });
      expect(task.error).toMatchObject({ type: 'Error', message: 'all of it' });
    }
  });

  it("8.4 a LostLease of this call's own task records nothing for it; its neighbours fail", async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const [own, other] = await client.submitMany([{ name: 'batch' }, { name: 'batch' }]);
    const thrown = deferred();
    stage.run(
      {
        batch: [
          { batch: 2 },
          (contexts) => {
            if (contexts[0].attempt > 1) return {};
            thrown.resolve();
            throw new cairnq.LostLease(own.id);
          },
        ],
      },
      { leaseMs: 1500, retryBackoffMs: 60_000, retryBackoffMaxMs: 60_000 },
    );
    await thrown.promise;
    const failed = await until(async () => {
      const task = await client.get(other.id);
      return task.error !== null && task;
    });
    expect(failed).toMatchObject({ status: 'queued', attempt: 1 });
    expect(failed.error).toMatchObject({ type: 'LostLease', code: 'handler_error' });
    expect(await client.get(own.id)).toMatchObject({ status: 'running', error: null });
    expect(await client.wait(own.id)).toMatchObject({
      status: 'succeeded',
      attempt: 2,
      error: null,
    });
  });

  it('8.4 a LostLease of another task is an ordinary failure', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({
      plain: () => {
        throw new cairnq.LostLease('task_of_somebody_else');
      },
    });
    const { id } = await client.submit('plain', null, { maxAttempts: 1 });
    const task = await client.wait(id);
    expect(task).toMatchObject({ status: 'failed', attempt: 1 });
    expect(task.error).toMatchObject({ type: 'LostLease', code: 'handler_error' });
  });

  it('8.4 an unserializable result fails its own task alone, for good', async () => {
    const stage = await setStage(backend);
    const tasks = await batched(
      stage,
      (contexts) =>
        Object.fromEntries(
          contexts.map(({ taskId, payload }) => [taskId, payload === 1 ? 1n : 'ok']),
        ),
      3,
    );
    expect(tasks.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect(tasks[1]).toMatchObject({ attempt: 1, error: { code: 'unserializable_result' } });
  });

  it('8.4 a handler may return any thenable, and throw before its first await', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({
      // biome-ignore lint/suspicious/noThenProperty: a foreign promise is the subject
      thenable: () => ({ then: (resolve) => resolve('from a thenable') }),
      broken: () => {
        return Object.defineProperty({}, 'then', {
          get() {
            throw new Error('no then');
          },
        });
      },
    });
    expect(await client.call('thenable')).toBe('from a thenable');
    const { id } = await client.submit('broken', null, { maxAttempts: 1 });
    expect(await client.wait(id)).toMatchObject({
      status: 'failed',
      error: { message: 'no then' },
    });
  });

  it('8.4 succeed and fail resolve, and settled turns true, only once others can see it', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const seen = [];
    stage.run({
      settles: async (ctx, { how }) => {
        expect(ctx.settled).toBe(false);
        const task = await (how === 'fail'
          ? ctx.fail('no', { retryable: false })
          : ctx.succeed('yes'));
        expect(ctx.settled).toBe(true);
        const row = await stage.row(ctx.taskId);
        seen.push([task.status, row.status]);
        expect(await ctx.succeed('again')).toBe(null);
        expect(await ctx.fail('again')).toBe(null);
      },
    });
    for (const how of ['succeed', 'fail']) {
      const task = await client.wait((await client.submit('settles', { how })).id);
      expect(task.error?.message ?? task.result).toBe(how === 'fail' ? 'no' : 'yes');
    }
    await until(() => seen.length === 2);
    expect(seen).toEqual([
      ['succeeded', 'succeeded'],
      ['failed', 'failed'],
    ]);
  });
});

onBackend('sqlite', '8.4 one call', (backend) => {
  it('8.4 one bad row never spoils its neighbours, and is reported with its task id', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const tasks = await client.submitMany(
      Array.from({ length: 20 }, (_, i) => ({ name: 'row', payload: i })),
    );
    const bad = tasks[7].id;
    await stage.sql(
      `create trigger bad_row before update on cairnq_tasks
       when new.id = '${bad}' and new.status = 'succeeded'
       begin select raise(abort, 'this row is cursed'); end`,
    );
    stage.run({ row: () => 'done' }, { concurrency: 20, leaseMs: 1000 });
    for (const { id } of tasks) {
      if (id !== bad)
        expect(await client.wait(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
    }
    const report = await until(() => stage.reports.find(({ info }) => info.taskId === bad));
    expect(report.info).toEqual({ phase: 'execute', taskId: bad });
    expect(report.error.message).toContain('this row is cursed');
    await stage.sql('drop trigger bad_row');
    expect(await client.wait(bad)).toMatchObject({ status: 'succeeded' });
  });

  it('8.4 settled is false as long as the settlement is not committed', async () => {
    const stage = await setStage(backend);
    const seen = deferred();
    stage.run({
      settles: async (ctx) => {
        const lock = stage.peer('lock.js');
        await lock.event('held');
        const flags = [];
        const settling = ctx.succeed('yes').then(() => flags.push(ctx.settled));
        flags.push(ctx.settled);
        await pass(100);
        flags.push(ctx.settled);
        lock.send({});
        await settling;
        seen.resolve(flags);
      },
    });
    await stage.client().submit('settles');
    expect(await seen.promise).toEqual([false, false, true]);
  });

  it('8.4 a settlement that fails for a passing reason is retried, the handler not run again', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const holder = await stage.world.connection();
    const started = deferred();
    const opened = deferred();
    let runs = 0;
    stage.run(
      {
        once: async () => {
          runs += 1;
          started.resolve();
          await opened.promise;
          return 'kept';
        },
      },
      { store: stage.store({ busyTimeoutMs: 30 }), leaseMs: 20_000 },
    );
    const { id } = await client.submit('once');
    await started.promise;
    await holder.sql('begin immediate');
    opened.resolve();
    await until(() => stage.reports.length > 0);
    expect(stage.reports[0].info).toEqual({ phase: 'execute', taskId: id });
    expect(stage.reports[0].error.code).toBe('SQLITE_BUSY');
    expect((await client.get(id)).status).toBe('running');
    await holder.sql('rollback');
    expect(await client.wait(id)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
      result: 'kept',
    });
    expect(runs).toBe(1);
  });
});
