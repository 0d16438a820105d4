import { expect, it } from 'vitest';
import { onEveryBackend } from '../backends.js';
import { until } from '../support/until.js';
import { insertRows, row } from './support/rows.js';
import { ask } from './support/served.js';

onEveryBackend('the dashboard', ({ open }) => {
  const inWorld = (title, body) =>
    it(title, async () => {
      const world = await open();
      try {
        await world.store.connect();
        await body(world);
      } finally {
        await world.close();
      }
    });

  inWorld(
    '7.3 retries what failed, cancels what has not ended, and says what had changed',
    async (world) => {
      const client = world.client();
      const { post } = ask(world);
      const worker = world.worker();
      worker.task('fails', () => {
        throw new Error('no');
      });
      const failed = await client.submit('fails', {}, { maxAttempts: 1 });
      const queued = await client.submit('waits');
      await worker.background(() => client.wait(failed.id));

      const both = { ids: [failed.id, queued.id] };
      expect(await (await post('api/retry', both)).json()).toEqual({ done: 1, unchanged: 1 });
      expect(await client.get(failed.id)).toMatchObject({
        status: 'queued',
        attempt: 1,
        error: null,
      });
      expect(await (await post('api/cancel', both)).json()).toEqual({ done: 2, unchanged: 0 });
      const reset = { ids: [queued.id], resetAttempt: true };
      expect(await (await post('api/retry', reset)).json()).toEqual({ done: 1, unchanged: 0 });
      expect(await client.get(queued.id)).toMatchObject({ status: 'queued', attempt: 0 });
    },
  );

  inWorld('7.3 purges by status, queue, name and age, in batches', async (world) => {
    const hourAgo = Date.now() - 3_600_000;
    const old = Array.from({ length: 1_100 }, (_, n) =>
      row({ id: `task_old_${n}`, created_at_ms: hourAgo, status: n % 2 ? 'failed' : 'succeeded' }),
    );
    const kept = [
      row({ id: 'task_new' }),
      row({ id: 'task_elsewhere', queue: 'other', created_at_ms: hourAgo }),
      row({ id: 'task_queued', status: 'queued', created_at_ms: hourAgo }),
    ];
    await insertRows(world, [...old, ...kept]);
    const { post } = ask(world);
    const purge = async (body) => await (await post('api/purge', body)).json();
    const filter = { olderThanMs: 1_800_000, queue: 'default', name: 'mail.send' };
    expect(await purge({ ...filter, status: 'failed' })).toEqual({ purged: 550, more: false });
    expect(await purge({ ...filter, name: 'none' })).toEqual({ purged: 0, more: false });
    expect(await purge(filter)).toEqual({ purged: 550, more: false });
    const left = await world.sql('select id from cairnq_tasks order by id');
    expect(left.map(({ id }) => id)).toEqual(['task_elsewhere', 'task_new', 'task_queued']);
  });

  inWorld('7.3 tells how the queue stands and what ended', async (world) => {
    const client = world.client();
    const worker = world.worker();
    worker.task('works', () => 1);
    await worker.background(() => client.call('works'));
    await client.submit('later', {}, { runAtDelayMs: 3_600_000, queue: 'other' });
    await client.submit('waits');
    const { read } = ask(world);
    // What ended is counted a second later, when its commit is visible for sure.
    const answer = await until(
      async () => {
        const overview = await read('api/overview?windowMs=60000');
        return overview.series.totals.succeeded === 1 && overview;
      },
      { everyMs: 100 },
    );
    const counts = Object.fromEntries(answer.queues.map((queue) => [queue.queue, queue.counts]));
    expect(counts.default).toMatchObject({ queued: 1, delayed: 0, running: 0, succeeded: 1 });
    expect(counts.other).toMatchObject({ queued: 0, delayed: 1 });
    expect(answer.series.points).toHaveLength(6);
    expect(answer.series.points.at(-1)).toMatchObject({ queued: 1, delayed: 1, running: 0 });
    expect(answer.series.totals.p50).toBeGreaterThan(0);

    const other = await read('api/overview?windowMs=60000&queue=other');
    expect(other.series.points.at(-1)).toMatchObject({ queued: 0, delayed: 1 });
    const { names } = await read('api/names?windowMs=60000');
    const works = names.find(({ name }) => name === 'works');
    expect(works).toMatchObject({ succeeded: 1, failed: 0, queued: 0 });
    expect((await read('api/overview?windowMs=1')).error.code).toBe('bad_window');
  });

  inWorld('7.3 lists by every filter, page after page, without payloads', async (world) => {
    const client = world.client();
    const root = await client.submit(
      'tree',
      { secret: 'x' },
      { key: 'the-key', correlationId: 'c-1' },
    );
    for (let n = 0; n < 5; n++) {
      await client.submit('leaf', { n }, { parentId: root.id, rootId: root.id, queue: 'other' });
    }
    const { read } = ask(world);
    const ids = async (query) => (await read(`api/tasks?${query}`)).tasks.map(({ name }) => name);
    expect(await ids('key=the-key')).toEqual(['tree']);
    expect(await ids('correlationId=c-1')).toEqual(['tree']);
    expect(await ids(`parentId=${root.id}`)).toHaveLength(5);
    expect(await ids(`rootId=${root.id}`)).toHaveLength(6);
    expect(await ids('queue=other&name=leaf&status=queued')).toHaveLength(5);
    expect(await ids('status=failed')).toEqual([]);

    const seen = [];
    let before = '';
    do {
      const page = await read(`api/tasks?limit=4&before=${encodeURIComponent(before)}`);
      seen.push(...page.tasks.map(({ id }) => id));
      before = page.next;
      expect(JSON.stringify(page)).not.toContain('secret');
    } while (before !== null);
    expect(seen).toHaveLength(6);
    expect(new Set(seen).size).toBe(6);
    expect(seen.at(-1)).toBe(root.id);
    expect((await read('api/tasks?limit=1000')).error.code).toBe('bad_limit');

    const task = await read(`api/task?id=${root.id}`);
    expect(task).toMatchObject({ keys: ['the-key'], parent: null, childrenCapped: false });
    expect(task.children.map(({ name }) => name)).toEqual(Array(5).fill('leaf'));
    expect(JSON.parse(task.task.payload.text)).toEqual({ secret: 'x' });
    const child = await read(`api/task?id=${task.children[0].id}`);
    expect([child.parent.id, child.root.id]).toEqual([root.id, root.id]);
    expect((await read('api/task?id=task_none')).error.code).toBe('no_task');
  });

  inWorld(
    '7.3 the redaction hook sees every part before it leaves, also when it fails',
    async (world) => {
      const secret = 'the secret';
      const common = { payload: { secret }, metadata: { secret }, message: secret };
      const error = {
        type: secret,
        code: secret,
        message: secret,
        retryable: true,
        details: { secret },
      };
      const lease = { lease_until_ms: Date.now() + 60_000, worker_id: 'w' };
      await insertRows(world, [
        row({ id: 'task_parent', status: 'succeeded', result: { secret }, ...common }),
        row({
          id: 'task_child',
          status: 'failed',
          error,
          parent_id: 'task_parent',
          root_id: 'task_parent',
          ...common,
        }),
        row({ id: 'task_running', status: 'running', error, ...lease, ...common }),
      ]);
      const about = [];
      const redact = (value, { field, id, name, queue }) => {
        expect(JSON.stringify(value)).toContain(secret);
        about.push(`${id} ${field}`);
        expect([name, queue]).toEqual(['mail.send', 'default']);
        if (id === 'task_child') throw new Error(secret);
        return field === 'error'
          ? { ...value, type: 'Hidden', code: 'h', message: 'h', details: {} }
          : 'h';
      };
      const { get } = ask(world, { open: true, redact });
      for (const path of [
        'tasks',
        'workers',
        'task?id=task_parent',
        'task?id=task_child',
        'task?id=task_running',
      ]) {
        const answer = await get(`api/${path}`);
        expect(answer.status, path).toBe(200);
        expect(await answer.text(), path).not.toContain(secret);
      }
      for (const field of ['payload', 'metadata', 'message'])
        expect(about).toContain(`task_parent ${field}`);
      expect(about).toContain('task_parent result');
      expect(about).toContain('task_running error');
    },
  );

  inWorld('7.3 a huge payload is cut, and says so', async (world) => {
    const { id } = await world.client().submit('big', { text: 'x'.repeat(1_000_000) });
    const { task } = await ask(world).read(`api/task?id=${id}`);
    expect(task.payload.text.length).toBeLessThan(300_000);
    expect(task.payload.length).toBeGreaterThan(1_000_000);
  });

  inWorld('7.3 many viewers cost one query', async (world) => {
    const { Inspector } = await import('@cairnq/native/inspect');
    const inspector = new Inspector(world.store);
    let asked = 0;
    const counting = new Proxy(inspector, {
      get(target, name) {
        const value = target[name];
        if (name === 'overview') asked += 1;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { createDashboard } = await import('@cairnq/dashboard');
    const dashboard = createDashboard({ inspector: counting, open: true });
    const request = () => dashboard.fetch(new Request('http://queue.test/api/overview'));
    const answers = await Promise.all(Array.from({ length: 50 }, request));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(asked).toBe(1);
    await dashboard.close();
    expect((await inspector.overview()).queues).toEqual([]);
  });
});
