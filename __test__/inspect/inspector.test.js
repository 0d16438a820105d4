import { existsSync } from 'node:fs';
import { Inspector } from '@cairnq/native/inspect';
import { expect, it } from 'vitest';
import { rejection } from '../spec/events.js';
import { onBackend, onEveryBackend, setStage } from '../spec/stage.js';
import { until } from '../support/until.js';

const LEVELS = [undefined, 'latest'];

/** A stage at a level, with a client that has opened it. */
async function staged(backend, migrate) {
  const stage = await setStage(backend);
  const client = stage.client({ store: stage.store({ migrate }) });
  await client.connect();
  const inspector = await Inspector.open(stage.path ?? stage.world.dsn);
  stage.atEnd(() => inspector.close());
  return { stage, client, inspector };
}

async function settleOne(stage, queue, outcome, workerId = 'w') {
  const store = stage.world.store;
  const [task] = await store.claim({ queues: [queue], workerId });
  if (outcome === 'succeed') await store.succeed({ taskId: task.id, workerId, result: 1 });
  if (outcome === 'fail') {
    await store.fail({ taskId: task.id, workerId, error: new Error('no'), retryable: false });
  }
  return task;
}

for (const migrate of LEVELS) {
  onEveryBackend(`the inspector at level ${migrate ?? 6}`, (backend) => {
    it('overview counts by queue and status, due and delayed apart', async () => {
      const { stage, client, inspector } = await staged(backend, migrate);
      await client.submitMany([
        { name: 'a', queue: 'one' },
        { name: 'a', queue: 'one' },
        { name: 'b', queue: 'one', priority: 5 },
        { name: 'b', queue: 'one', runAtDelayMs: 60_000 },
        { name: 'c', queue: 'two' },
        { name: 'c', queue: 'two' },
      ]);
      await settleOne(stage, 'one', 'succeed');
      await settleOne(stage, 'two', 'fail');
      await settleOne(stage, 'two', 'run');
      const { nowMs, schemaLevel, queues, capped } = await inspector.overview();
      expect([schemaLevel, capped]).toEqual([migrate === undefined ? 6 : 10, false]);
      const none = {
        waiting: 0,
        queued: 0,
        delayed: 0,
        running: 0,
        succeeded: 0,
        failed: 0,
        canceled: 0,
      };
      expect(queues.map(({ queue, counts, capped }) => ({ queue, counts, capped }))).toEqual([
        {
          queue: 'one',
          counts: { ...none, waiting: 3, queued: 2, delayed: 1, succeeded: 1 },
          capped: [],
        },
        { queue: 'two', counts: { ...none, running: 1, failed: 1 }, capped: [] },
      ]);
      expect(queues[1].oldestDueMs).toBe(null);
      expect(nowMs - queues[0].oldestDueMs).toBeGreaterThanOrEqual(0);
      expect(nowMs - queues[0].oldestDueMs).toBeLessThan(60_000);
    });

    it('the longest-waiting task is found in whatever priority it waits', async () => {
      const { stage, client, inspector } = await staged(backend, migrate);
      const [low] = await client.submitMany([
        { name: 'low', priority: -3 },
        ...Array.from({ length: 150 }, () => ({ name: 'high', priority: 7 })),
      ]);
      await stage.sql('update cairnq_tasks set run_at_ms = 1000 where id = ?', [low.id]);
      expect((await inspector.overview()).queues[0].oldestDueMs).toBe(1000);
    });

    it('names counts what waits and runs now, and what ended since', async () => {
      const { stage, client, inspector } = await staged(backend, migrate);
      await client.submitMany([
        { name: 'a' },
        { name: 'a' },
        { name: 'a', runAtDelayMs: 60_000 },
        { name: 'b', queue: 'other' },
      ]);
      await settleOne(stage, 'default', 'succeed');
      await settleOne(stage, 'default', 'run');
      const { names, capped } = await inspector.names();
      expect(capped).toBe(false);
      const count = (name) => names.find((row) => row.name === name);
      expect(count('a')).toMatchObject({ queue: 'default', queued: 1, running: 1, succeeded: 1 });
      expect(count('a').oldestDueMs).toBe(null);
      expect(count('b')).toMatchObject({ queue: 'other', queued: 1, running: 0, failed: 0 });
      expect((await inspector.names({ queue: 'other' })).names).toHaveLength(1);
      const later = await inspector.names({ sinceMs: Date.now() + 600_000 });
      expect(later.names.find(({ name }) => name === 'a').succeeded).toBe(0);
    });

    it('finished and activity tell what a window of time saw', async () => {
      const { stage, client, inspector } = await staged(backend, migrate);
      await client.submitMany([{ name: 'a' }, { name: 'b', queue: 'other' }, { name: 'c' }]);
      const first = await settleOne(stage, 'default', 'succeed');
      const last = await settleOne(stage, 'other', 'fail');
      await stage.sql(
        'update cairnq_tasks set completed_at_ms = completed_at_ms + 5 where id = ?',
        [last.id],
      );
      const { rows, capped } = await inspector.finished();
      expect(capped).toBe(false);
      expect(rows.map(({ id, status }) => [id, status])).toEqual([
        [last.id, 'failed'],
        [first.id, 'succeeded'],
      ]);
      expect(rows[1]).toMatchObject({ name: 'a', queue: 'default', attempt: 1 });
      expect(rows[1].completedAtMs).toBeGreaterThanOrEqual(rows[1].runAtMs);
      expect((await inspector.finished({ queue: 'other' })).rows).toHaveLength(1);
      expect((await inspector.finished({ limit: 1 })).capped).toBe(true);
      expect(await inspector.activity()).toMatchObject({ submitted: 3, finished: 2, capped: [] });
    });

    it('pages give every task once, newest first, whatever the filter', async () => {
      const { stage, client, inspector } = await staged(backend, migrate);
      const root = await client.submit('root', { big: true }, { key: 'k' });
      for (let i = 0; i < 12; i++) {
        await client.submit(i % 2 === 0 ? 'even' : 'odd', null, {
          queue: i % 3 === 0 ? 'third' : 'default',
          rootId: i < 6 ? root.id : undefined,
          parentId: i < 3 ? root.id : undefined,
          correlationId: i > 8 ? 'c' : undefined,
        });
      }
      await stage.sql(
        "update cairnq_tasks set status = 'failed', completed_at_ms = 1 where name = 'odd'",
      );
      const all = (await client.list({ limit: 100 })).sort((a, b) => (a.id < b.id ? 1 : -1));
      const filters = [
        {},
        { status: 'failed' },
        { status: 'canceled' },
        { queue: 'third' },
        { queue: 'third', status: 'failed' },
        { queue: 'third', name: 'odd' },
        { queue: 'third', name: 'odd', status: 'failed' },
        { name: 'even' },
        { name: 'even', status: 'failed' },
        { rootId: root.id },
        { rootId: root.id, name: 'odd' },
        { parentId: root.id },
        { parentId: root.id, status: 'queued' },
        { correlationId: 'c' },
        { key: 'k' },
        { key: 'k', status: 'failed' },
        { key: 'nobody' },
      ];
      const column = {
        status: 'status',
        queue: 'queue',
        name: 'name',
        rootId: 'root_id',
        parentId: 'parent_id',
        correlationId: 'correlation_id',
      };
      for (const filter of filters) {
        const wanted = all.filter((task) =>
          Object.entries(filter).every(([name, value]) =>
            name === 'key' ? value === 'k' && task.id === root.id : task[column[name]] === value,
          ),
        );
        const found = [];
        let before = null;
        do {
          const page = await inspector.page({ ...filter, before, limit: 2 });
          expect(page.tasks.length).toBeLessThanOrEqual(2);
          found.push(...page.tasks);
          before = page.next;
        } while (before !== null);
        expect(
          found.map(({ id }) => id),
          JSON.stringify(filter),
        ).toEqual(wanted.map(({ id }) => id));
        for (const task of found) {
          expect(task).not.toHaveProperty('payload');
          expect(task.name).toBe(wanted.find(({ id }) => id === task.id).name);
        }
      }
      const [whole] = (await inspector.page({ rootId: root.id, name: 'root', full: true })).tasks;
      expect(whole).toEqual(await client.get(root.id));
    });

    it('a walk goes on behind the rows it looked at, and gathers where an index has few', async () => {
      const { client, inspector } = await staged(backend, migrate);
      const marked = await client.submit('marked', null, { parentId: 'task_gone' });
      // More than one walk looks at, and more of the name than would be gathered.
      for (let batch = 0; batch < 3; batch++) {
        await client.submitMany(
          Array.from({ length: 7_000 }, () => ({ name: 'filler', queue: 'filler' })),
        );
      }
      const first = await inspector.page({ parentId: 'task_gone' });
      expect(first.tasks).toEqual([]);
      expect(first.next).not.toBe(null);
      let last = first;
      let walks = 1;
      for (; last.next !== null; walks++) {
        expect(last.tasks).toEqual([]);
        last = await inspector.page({ parentId: 'task_gone', before: last.next });
      }
      expect([last.tasks.map(({ id }) => id), walks]).toEqual([[marked.id], 4]);
      const patient = await inspector.page({ parentId: 'task_gone', lookForMs: 60_000 });
      expect([patient.tasks.map(({ id }) => id), patient.next]).toEqual([[marked.id], null]);
      const gathered = await inspector.page({ name: 'marked', status: 'queued' });
      expect(gathered.tasks.map(({ id }) => id)).toEqual([marked.id]);
      const { counts, capped } = (await inspector.overview()).queues.find(
        ({ queue }) => queue === 'filler',
      );
      // A lower bound, which the rows that are there do not pass.
      expect(capped).toContain('waiting');
      expect(counts.waiting).toBeGreaterThan(1_000);
      expect(counts.waiting).toBeLessThan(21_000);
      expect(counts.queued).toBeLessThanOrEqual(counts.waiting);
    });

    it('task gives the row, its keys and its family', async () => {
      const { client, inspector } = await staged(backend, migrate);
      const root = await client.submit('root', { a: 1 }, { key: 'k' });
      const child = await client.submit('child', null, { rootId: root.id, parentId: root.id });
      const grandchild = await client.submit('leaf', null, { rootId: root.id, parentId: child.id });
      const found = await inspector.task({ key: 'k' });
      expect(found.task).toEqual(await client.get(root.id));
      expect(found.keys).toEqual(['k']);
      expect(found.parent).toBe(null);
      expect(found.root.id).toBe(root.id);
      expect(found.family.map(({ id }) => id)).toEqual([root.id, child.id, grandchild.id]);
      expect(found.children.map(({ id }) => id)).toEqual([child.id]);
      expect([found.familyCapped, found.childrenCapped]).toEqual([false, false]);
      expect((await inspector.task(grandchild.id)).parent.id).toBe(child.id);
      expect(await inspector.task('task_missing')).toBe(null);
    });

    it('workers shows who holds what, and which attempts ended without a word', async () => {
      const { stage, client, inspector } = await staged(backend, migrate);
      await client.submitMany([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
      await stage.world.store.claim({ queues: ['default'], workerId: 'w1', limit: 2 });
      const [other] = await stage.world.store.claim({ queues: ['default'], workerId: 'w2' });
      await stage.sql('update cairnq_tasks set attempt = 2 where id = ?', [other.id]);
      const { workers, capped } = await inspector.workers();
      expect(capped).toBe(false);
      const of = (id) => workers.find(({ workerId }) => workerId === id);
      expect(of('w1')).toMatchObject({ running: 2 });
      expect(of('w1').tasks.map(({ silentAttempts }) => silentAttempts)).toEqual([false, false]);
      expect(of('w2').tasks[0]).toMatchObject({ id: other.id, attempt: 2, silentAttempts: true });
      expect(of('w2').oldestLeaseUntilMs).toBe(of('w2').tasks[0].leaseUntilMs);
    });

    it('facts come without a fault on a sound database', async () => {
      const { inspector } = await staged(backend, migrate);
      const facts = await inspector.facts();
      for (const fact of ['meta', 'ledger', 'indexes', 'storage']) {
        expect([fact, facts[fact].reason, facts[fact].rows.length > 0]).toEqual([fact, null, true]);
      }
      expect(Math.abs(facts.clock.aheadMs)).toBeLessThan(2_000);
    });
  });
}

onEveryBackend('the inspector', (backend) => {
  it('names with NUL, quotes and markup are values and nothing else', async () => {
    const { client, inspector } = await staged(backend);
    const odd = `'; drop table cairnq_tasks; -- "<b>" \\ {terms} $1 ?1`;
    const { id } = await client.submit(odd, null, { queue: odd, key: odd });
    expect((await inspector.page({ queue: odd, name: odd })).tasks[0]).toMatchObject({
      id,
      name: odd,
    });
    expect((await inspector.overview()).queues[0].queue).toBe(odd);
    expect((await inspector.names()).names[0]).toMatchObject({ name: odd, queue: odd });
    expect((await inspector.task({ key: odd })).keys).toEqual([odd]);
    expect((await inspector.page({ name: 'a\0b' })).tasks).toEqual([]);
    expect(await client.get(id)).not.toBe(null);
  });

  it('neither makes nor migrates a database, and says what is missing', async () => {
    const stage = await setStage(backend);
    const target = stage.path ?? stage.world.dsn;
    const error = await rejection(Inspector.open(target));
    if (backend.name === 'sqlite') {
      expect(error.message).toContain('there is no such file');
      expect(existsSync(target)).toBe(false);
      await stage.sql('create table something_else (id integer)');
    }
    const refusal = await rejection(Inspector.open(target));
    expect(refusal.code).toBe('CAIRNQ_NO_TABLES');
    const tables =
      backend.name === 'sqlite'
        ? await stage.sql("select name from sqlite_master where name like 'cairnq%'")
        : await stage.sql("select relname from pg_class where relname like 'cairnq%'");
    expect(tables).toEqual([]);
  });

  it('a store with migrate: "never" works on a database as it is, and refuses another protocol', async () => {
    const stage = await setStage(backend);
    await stage.client().connect();
    const store = stage.store({ migrate: 'never' });
    const { id } = await store.submit({ name: 'a' });
    expect((await store.get(id)).name).toBe('a');
    await stage.sql("update cairnq_meta set value = '2' where key = 'protocol_version'");
    const refused = await rejection(Inspector.open(stage.path ?? stage.world.dsn));
    expect(refused.name).toBe('ProtocolVersionMismatch');
  });

  it('migrate takes a level, and refuses what is none', async () => {
    const stage = await setStage(backend);
    const store = stage.store({ migrate: 8 });
    await store.connect();
    const [row] = await stage.sql("select value from cairnq_meta where key = 'schema_version'");
    expect(row.value).toBe('8');
    for (const migrate of [5, 11, 6.5, 'soon']) {
      expect(() => stage.store({ migrate })).toThrow(/migrate must be "latest", "never", a level/);
    }
  });

  it.each([
    ['page', { limit: 0 }, 'limit must be an integer >= 1, got 0'],
    ['page', { limit: 501 }, 'limit must be at most 500, got 501'],
    ['page', { lookForMs: -1 }, 'lookForMs must be >= 0, got -1'],
    ['page', { status: 'done' }, 'unknown status filter: done'],
    ['finished', { limit: 10_001 }, 'limit must be at most 10000, got 10001'],
    ['finished', { sinceMs: -1 }, 'sinceMs must be a time in ms since 1970, got -1'],
    ['activity', { windowMs: 0 }, 'windowMs must be > 0, got 0'],
    ['task', { key: 5 }, 'key must be a string, got 5'],
  ])('%s(%o) is refused', async (operation, input, message) => {
    const { inspector } = await staged(backend);
    expect((await rejection(inspector[operation](input))).message).toBe(message);
  });

  it('a store of the caller stays open', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submit('a');
    const inspector = new Inspector(client.store);
    expect((await inspector.overview()).queues).toHaveLength(1);
    await inspector.close();
    expect(await client.list()).toHaveLength(1);
    expect(() => new Inspector({})).toThrow(/store must be/);
  });
});

onBackend('sqlite', 'the inspector', (backend) => {
  it('reads while another process holds the write lock', async () => {
    const { stage, client, inspector } = await staged(backend);
    await client.submit('a');
    const connection = await stage.world.connection();
    await connection.sql('begin immediate');
    expect((await inspector.overview()).queues[0].counts.queued).toBe(1);
    expect(await Inspector.open(stage.path).then((other) => other.close())).toBe(undefined);
    await connection.sql('rollback');
  });
});

onBackend('postgres', 'the inspector', (backend) => {
  it('counts and pages of a queue read the index that has queue and status', async () => {
    const { stage, client, inspector } = await staged(backend);
    await client.submit('a', null, { queue: 'small' });
    await stage.sql(`insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms)
      select 'task_' || i, 'a', 'large', 'queued', '1', 1, 1, 1 from generate_series(1, 20000) i`);
    await stage.sql('analyze cairnq_tasks');
    // A session tells its figures some time after it is done.
    const reads = async () => {
      const rows = await stage.sql(
        "select indexrelname as name, idx_tup_read as read from pg_stat_user_indexes where relname = 'cairnq_tasks'",
      );
      return Object.fromEntries(rows.map(({ name, read }) => [name, read]));
    };
    const before = await reads();
    const { queues } = await inspector.overview();
    expect(queues.find(({ queue }) => queue === 'small').counts.queued).toBe(1);
    await inspector.page({ queue: 'small', status: 'queued' });
    const read = async (index) => (await reads())[index] - before[index];
    await until(async () => (await read('cairnq_tasks_claim_idx')) > 0);
    expect(await read('cairnq_tasks_status_idx')).toBeLessThan(100);
  });
});
