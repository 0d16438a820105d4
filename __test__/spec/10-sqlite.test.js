import { access, readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { rejection, until, within, worstGap } from './events.js';
import { cairnq, onBackend, setStage } from './stage.js';

const sizeOf = async (file) => (await stat(file)).size;

onBackend('sqlite', '10 SQLite', (backend) => {
  it('10.1 makes the parent folders, and turns the file to WAL', async () => {
    const stage = await setStage(backend);
    const path = join(stage.world.directory, 'a', 'b', 'deep.db');
    const client = cairnq.CairnQ.sqlite(path);
    stage.atEnd(() => client.close());
    await client.submit('deep');
    await access(path);
    await stage.client().connect();
    expect(await stage.sql('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  });

  it.each([':memory:', 'file:anything?mode=memory', 'file::memory:'])(
    '10.1 %s is a private database per store',
    async (path) => {
      const stage = await setStage(backend);
      const before = await readdir('.');
      const [one, other] = [cairnq.CairnQ.sqlite(path), cairnq.CairnQ.sqlite(path)];
      stage.atEnd(() => one.close());
      stage.atEnd(() => other.close());
      const { id } = await one.submit('private');
      expect((await one.get(id)).id).toBe(id);
      expect(await other.get(id)).toBe(null);
      const worker = new cairnq.Worker(one.store, ['default'], { pollIntervalMs: 20 });
      worker.task('private', () => 'seen');
      stage.start(worker);
      expect((await one.wait(id)).result).toBe('seen');
      expect(await readdir('.')).toEqual(before);
    },
  );

  it('10.1 file: URIs are URIs', async () => {
    const stage = await setStage(backend);
    const direct = stage.client();
    const { id } = await direct.submit('by path');
    const client = cairnq.CairnQ.sqlite(`${pathToFileURL(stage.path)}`);
    stage.atEnd(() => client.close());
    expect((await client.get(id)).id).toBe(id);
    await direct.close();
    await client.close();
    const reader = cairnq.CairnQ.sqlite(`${pathToFileURL(stage.path)}?mode=ro`);
    stage.atEnd(() => reader.close());
    expect(await rejection(reader.submit('refused'))).toBeInstanceOf(Error);
  });

  it.each([
    ['a reader', { begin: 'begin', read: true }],
    ['BEGIN EXCLUSIVE', { begin: 'begin exclusive' }],
  ])('10.1 waits for %s to let it switch to WAL, and says so when it cannot', async (_, lock) => {
    const stage = await setStage(backend);
    await stage.sql('create table cairnq_tasks (foreign_table)');
    const holder = stage.peer('lock.js', lock);
    await holder.event('held');
    const client = stage.client();
    let error;
    const gap = await worstGap(async () => {
      error = await rejection(within(9000, client.connect(), 'connect()'));
    });
    expect(error.message).toBe(
      'could not switch the database to WAL mode: it stayed locked by another connection',
    );
    // It waits for five seconds, elsewhere.
    expect(gap).toBeLessThan(2500);
    holder.send({});
    await holder.event('released');
    // The next use tries again.
    await stage.sql('drop table cairnq_tasks');
    expect((await client.submit('now')).status).toBe('queued');
  });

  it('10.1 a lock let go in time is waited for', async () => {
    const stage = await setStage(backend);
    await stage.sql('create table foreign_table (a)');
    const holder = stage.peer('lock.js', { begin: 'begin exclusive', ms: 800 });
    await holder.event('held');
    await stage.client().connect();
  });

  it('10.5 the last close copies the log into the database and removes it', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    for (let round = 1; round <= 100; round++) {
      await client.submit('kept');
      // Reads that end at one moment with the writer.
      await Promise.all([client.list(), client.list(), client.list()]);
      await client.close();
      expect(await readdir(stage.world.directory), `round ${round}`).toEqual(['tasks.db']);
    }
    expect(await stage.sql('select count(*) as n from cairnq_tasks')).toEqual([{ n: 100 }]);
  });

  it('10.2 a write waits for the lock of another process, the thread free all the while', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('before');
    const holder = stage.peer('lock.js', { ms: 1200 });
    await holder.event('held');
    const from = performance.now();
    let read;
    const gap = await worstGap(async () => {
      const write = client.submit('waits');
      await within(500, client.get(id), 'a read beside the lock');
      read = performance.now() - from;
      await write;
    });
    expect(performance.now() - from).toBeGreaterThan(600);
    expect(read).toBeLessThan(500);
    expect(gap).toBeLessThan(200);
  });

  it('10.2 after busyTimeoutMs it is SQLITE_BUSY', async () => {
    const stage = await setStage(backend);
    const client = stage.client({ store: stage.store({ busyTimeoutMs: 300 }) });
    await client.connect();
    const holder = stage.peer('lock.js');
    await holder.event('held');
    const from = performance.now();
    const error = await rejection(client.submit('refused'));
    const waited = performance.now() - from;
    expect(error.code).toBe('SQLITE_BUSY');
    expect(waited).toBeGreaterThanOrEqual(250);
    expect(waited).toBeLessThan(2500);
    holder.send({});
    await holder.event('released');
    expect(await client.list()).toEqual([]);
  });

  it('10.3 writes that wait together share a transaction, whatever store they came through', async () => {
    const stage = await setStage(backend);
    const clients = [0, 1, 2, 3].map(() => stage.client({ store: stage.store() }));
    await Promise.all(clients.map((client) => client.connect()));
    const holder = stage.peer('lock.js');
    await holder.event('held');
    const writes = Array.from({ length: 400 }, (_, i) => clients[i % 4].submit('grouped', i));
    const before = await sizeOf(`${stage.path}-wal`);
    holder.send({});
    await holder.event('released');
    await Promise.all(writes);
    // Each transaction of its own writes every page it touches: some 4 KB times several a task.
    expect((await sizeOf(`${stage.path}-wal`)) - before).toBeLessThan(400 * 4096);
    expect(await stage.sql('select count(*) as n from cairnq_tasks')).toEqual([{ n: 400 }]);
  });

  it('10.3 a failing member of a group fails alone', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submit('taken', null, { key: 'k' });
    const writes = Array.from({ length: 50 }, (_, i) =>
      i === 20
        ? client.submit('clash', null, { key: 'k', conflict: 'reject' })
        : client.submit('fine', i),
    );
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(outcomes[20].reason).toBeInstanceOf(cairnq.AlreadyExists);
    expect(await client.list({ name: 'fine', limit: 100 })).toHaveLength(49);
  });

  it('10.3 nothing is acknowledged before it is committed', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const writes = Array.from({ length: 100 }, async (_, i) => {
      const { id } = await client.submit('acknowledged', i);
      return (await stage.row(id)) !== undefined;
    });
    expect((await Promise.all(writes)).every(Boolean)).toBe(true);
  });

  it('10.3 a file reached by two names is one file', async () => {
    const stage = await setStage(backend);
    const direct = stage.client();
    await direct.connect();
    const link = join(stage.world.directory, 'link.db');
    await symlink(stage.path, link);
    const linked = cairnq.CairnQ.sqlite(link);
    stage.atEnd(() => linked.close());
    const { id } = await linked.submit('by link');
    expect((await direct.get(id)).id).toBe(id);
    // Closing one of them must not take the locks or the WAL from under the other.
    await linked.close();
    await Promise.all(Array.from({ length: 20 }, () => direct.submit('after')));
    expect(await stage.sql('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(await direct.list({ name: 'after' })).toHaveLength(20);
  });

  it('10.4 statistics are taken when there are none', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submitMany(Array.from({ length: 50 }, (_, i) => ({ name: `name ${i % 5}` })));
    await client.close();
    await stage.sql('analyze');
    await stage.sql('delete from sqlite_stat1');
    const second = stage.client({ store: stage.store() });
    await second.connect();
    const rows = await until(async () => {
      const found = await stage.sql("select idx from sqlite_stat1 where tbl = 'cairnq_tasks'");
      return found.length > 0 && found;
    });
    expect(rows.map(({ idx }) => idx)).toContain('cairnq_tasks_claim_idx');
  });

  it('10.5 the WAL shrinks again after a long reader leaves', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const reader = stage.peer('lock.js', { begin: 'begin', read: true });
    await reader.event('held');
    const wal = `${stage.path}-wal`;
    const text = 'x'.repeat(4000);
    for (let i = 0; i < 12; i++) {
      await client.submitMany(Array.from({ length: 1000 }, () => ({ name: 'big', payload: text })));
    }
    expect(await sizeOf(wal)).toBeGreaterThan(40_000_000);
    reader.send({});
    await reader.event('released');
    const written = setInterval(() => client.submit('small').catch(() => {}), 20);
    stage.atEnd(() => clearInterval(written));
    // With writes going on all the while: no idle moment may be needed for it.
    await until(async () => (await sizeOf(wal)) < 20_000_000, { timeoutMs: 15_000, everyMs: 50 });
  });
});
