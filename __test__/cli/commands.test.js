import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { cairnq, targetOf } from './run.js';

async function filled(backend) {
  const stage = await setStage(backend);
  const client = stage.client();
  await client.connect();
  return { stage, client, target: targetOf(stage) };
}

async function failed(client, name = 'broken', options = {}) {
  const { id } = await client.submit(name, { why: 'test' }, { queue: 'failing', ...options });
  await client.store.claim({ queues: ['failing'], workerId: 'w' });
  const error = { type: 'Error', code: 'handler_error', message: 'it broke', retryable: false };
  await client.store.fail({ taskId: id, workerId: 'w', error, retryable: false });
  return id;
}

onEveryBackend('the command line', (backend) => {
  it('stats counts by queue and by name', async () => {
    const { client, target } = await filled(backend);
    await failed(client);
    await client.submitMany([{ name: 'a' }, { name: 'b', runAtDelayMs: 60_000 }]);
    const { code, out } = await cairnq(['stats', target, '--names']);
    expect(code).toBe(0);
    expect(out).toMatch(/^default +1 +1 +0 +0 +0 +0 +\d/m);
    expect(out).toMatch(/^failing +0 +0 +0 +0 +1 +0 +-$/m);
    expect(out).toMatch(/^broken +failing +0 +0 +0 +1 +0 +-$/m);
    expect(out).not.toContain('\u001b');
    const told = (
      await cairnq(['stats', target, '--json', '--names', '--queue', 'default'])
    ).json();
    expect(told.queues.map(({ queue }) => queue)).toEqual(['default']);
    expect(told.byName.names.map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });

  it('ls takes every filter and goes page by page', async () => {
    const { client, target } = await filled(backend);
    const id = await failed(client, 'broken', { key: 'k', correlationId: 'c' });
    const { id: child } = await client.submit('child', null, { parentId: id, rootId: id });
    for (const filter of [
      ['--status', 'failed'],
      ['--queue', 'failing'],
      ['--name', 'broken'],
      ['--correlation', 'c'],
      ['--key', 'k'],
    ]) {
      expect((await cairnq(['ls', target, '--ids', ...filter])).out, filter[0]).toBe(`${id}\n`);
    }
    expect((await cairnq(['ls', target, '--ids', '--parent', id])).out).toBe(`${child}\n`);
    expect((await cairnq(['ls', target, '--ids', '--root', id])).out).toBe(`${child}\n${id}\n`);

    const first = await cairnq(['ls', target, '--limit', '1']);
    expect(first.out).toContain(child);
    const [, before] = /next page: --before (\S+)/.exec(first.out);
    const second = await cairnq(['ls', target, '--limit', '1', '--before', before]);
    expect(second.out).toContain('handler_error: it broke');
    const told = (await cairnq(['ls', target, '--json', '--full', '--status', 'failed'])).json();
    expect(told.tasks[0].payload).toEqual({ why: 'test' });
    expect((await cairnq(['ls', target, '--status', 'canceled'])).out).toBe('no tasks\n');
  });

  it('show tells everything about a task and its family', async () => {
    const { client, target } = await filled(backend);
    const id = await failed(client, 'broken', { key: 'k' });
    const { id: child } = await client.submit('child', null, { parentId: id, rootId: id });
    const { code, out } = await cairnq(['show', target, '--key', 'k']);
    expect(code).toBe(0);
    expect(out).toMatch(/^keys +k$/m);
    expect(out).toContain('"message": "it broke"');
    expect(out).toContain('"why": "test"');
    expect(out).toContain(`  ${id} broken failed ◀\n  └─ ${child} child queued`);
    expect((await cairnq(['show', target, id, '--json'])).json().task.id).toBe(id);
    const missing = await cairnq(['show', target, 'task_missing']);
    expect([missing.code, missing.err]).toEqual([
      1,
      'cairnq: there is no task with the id task_missing\n',
    ]);
  });

  it('submit writes a task with all its options, from an argument or from a pipe', async () => {
    const { client, target } = await filled(backend);
    const { code, out } = await cairnq([
      'submit', target, 'mail.send', '{"to":"ada"}', '--queue', 'mail', '--key', 'k', '--priority=-2',
      '--delay', '1h', '--max-attempts', '7', '--metadata', '{"m":1}', '--correlation', 'c',
    ].map(String)); // biome-ignore format: one command
    expect(code).toBe(0);
    const task = await client.get(out.trim());
    expect(task).toMatchObject({
      name: 'mail.send',
      queue: 'mail',
      payload: { to: 'ada' },
      metadata: { m: 1 },
      priority: -2,
      max_attempts: 7,
      correlation_id: 'c',
    });
    expect(task.run_at_ms - task.created_at_ms).toBe(3_600_000);
    const piped = await cairnq(['submit', target, 'x', '-', '--json'], { input: '[1, 2]' });
    expect(piped.json().payload).toEqual([1, 2]);
    const again = ['submit', target, 'mail.send', '--key', 'k', '--conflict', 'reject'];
    expect((await cairnq(again)).code).toBe(4);
  });

  it('retry and cancel change tasks by id, key, or ids from a pipe, and say which they could not', async () => {
    const { client, target } = await filled(backend);
    const id = await failed(client, 'broken', { key: 'k' });
    const ids = (await cairnq(['ls', target, '--status', 'failed', '--ids'])).out;
    const retried = await cairnq(['retry', target, '-', '--reset-attempt'], { input: ids });
    expect([retried.code, retried.out]).toEqual([0, `${id}: queued again\n`]);
    expect(await client.get(id)).toMatchObject({ status: 'queued', attempt: 0, error: null });
    const twice = await cairnq(['retry', target, id]);
    expect([twice.code, twice.err]).toEqual([
      1,
      `${id}: not changed: no such task, or neither failed nor canceled\n`,
    ]);

    const unasked = await cairnq(['cancel', target, '--key', 'k']);
    expect([unasked.code, unasked.err]).toEqual([
      1,
      'cairnq: Cancel 1 task? Nothing was done: add --yes to say so.\n',
    ]);
    expect((await client.get(id)).status).toBe('queued');
    const cancelled = await cairnq(['cancel', target, '--key', 'k', '--yes', '--json']);
    expect(cancelled.json()[0].task.status).toBe('canceled');
    expect((await cairnq(['cancel', target, id, '-y'])).code).toBe(1);
  });

  it('purge deletes only what its filters name, and only when told so', async () => {
    const { stage, client, target } = await filled(backend);
    const id = await failed(client);
    const { id: other } = await client.submit('other');
    await client.cancel(other);
    const args = ['purge', target, '--older-than', '0', '--status', 'failed'];
    await stage.sql('update cairnq_tasks set completed_at_ms = 1');
    const unasked = await cairnq(args);
    expect([unasked.code, unasked.err]).toEqual([
      1,
      'cairnq: Delete failed tasks that ended more than 0 ms ago? Nothing was done: add --yes to say so.\n',
    ]);
    expect((await cairnq([...args, '--yes'])).out).toBe('deleted 1 task\n');
    expect([await client.get(id), (await client.get(other)).status]).toEqual([null, 'canceled']);
    expect((await cairnq(['purge', target, '--yes'])).code).toBe(2);
  });

  it('migrate shows what it will do, does it when told so, and then has nothing to do', async () => {
    const stage = await setStage(backend);
    const target = targetOf(stage);
    const asked = await cairnq(['migrate', target]);
    expect(asked.code).toBe(1);
    expect(asked.out).toContain('a new database, to level 6:');
    expect(asked.out).toContain('0006_claim_name_index.sql  an index of claims by name');
    if (stage.path) expect(existsSync(stage.path)).toBe(false);
    expect((await cairnq(['migrate', target, '--yes'])).out).toContain('the schema is at level 6');
    expect((await cairnq(['migrate', target])).out).toBe(
      'nothing to do: the schema is at level 6\n',
    );
    const dry = await cairnq(['migrate', target, '--to', '8', '--dry-run', '--json']);
    expect(dry.code).toBe(1);
    expect(dry.json()).toMatchObject({ level: 6, to: 8, done: false });
    expect(dry.json().steps.map(({ level }) => level)).toEqual([7, 8]);
    expect(
      (await cairnq(['migrate', target, '--to', 'latest', '--yes', '--json'])).json().done,
    ).toBe(true);
    const ledger = await stage.sql('select name from cairnq_migrations');
    expect(ledger.length).toBe(backend.name === 'sqlite' ? 9 : 10);
    expect((await cairnq(['stats', target, '--json'])).json().schemaLevel).toBe(10);
    expect((await cairnq(['migrate', target, '--to', '5'])).code).toBe(2);
  });

  it('top prints once in a pipe, and lines of JSON when asked', async () => {
    const { client, target } = await filled(backend);
    await client.submit('running');
    await client.store.claim({ queues: ['default'], workerId: 'worker_x' });
    const { code, out } = await cairnq(['top', target]);
    expect(code).toBe(0);
    expect(out).toMatch(/due 0 {2}running 1 {2}submitted/);
    expect(out).toMatch(/^worker_x +1 +\d+ s +running$/m);
    const lines = await cairnq(['top', target, '--json', '--times', '2', '--interval', '200ms']);
    const looks = lines.out.trim().split('\n').map(JSON.parse);
    expect(looks.map(({ workers }) => workers.workers[0].running)).toEqual([1, 1]);
  });

  it('texts of tasks cannot steer the terminal', async () => {
    const { client, target } = await filled(backend);
    const evil = 'a\u001b[2J\u001b]0;owned\u0007\nb';
    const { id } = await client.submit(evil, { [evil]: evil }, { queue: evil });
    for (const args of [['stats', '--names'], ['ls'], ['show', id], ['top']]) {
      const [command, ...rest] = args;
      const { code, out } = await cairnq([command, target, ...rest]);
      expect([command, code]).toEqual([command, 0]);
      expect(out).not.toContain('\u001b');
      expect(out).not.toContain('\u0007');
    }
  });

  it('commands neither make nor migrate a database', async () => {
    const stage = await setStage(backend);
    const target = targetOf(stage);
    for (const args of [
      ['stats'],
      ['ls'],
      ['submit', 'x'],
      ['doctor'],
      ['purge', '--older-than', '1d', '-y'],
    ]) {
      const [command, ...rest] = args;
      const { code, err } = await cairnq([command, target, ...rest]);
      expect([command, code]).toEqual([command, 3]);
      expect(err).toMatch(/^cairnq: cannot open /);
    }
    if (stage.path) expect(existsSync(stage.path)).toBe(false);
    else
      expect(await stage.sql("select 1 from pg_class where relname = 'cairnq_tasks'")).toEqual([]);
  });
});

it('a password is never printed, whatever goes wrong', async () => {
  const closed = [
    'postgres://ada:s3cret@127.0.0.1:1/app',
    'postgres://ada:s3c/ret@127.0.0.1:1/app?password=s3cret',
    "host=127.0.0.1 port=1 user=ada password='s3cret x'",
    'postgresql://ada@127.0.0.1:1/app?password=s3cret&sslmode=disable',
  ];
  const commands = [['stats'], ['doctor', '--json'], ['migrate', '--yes'], ['ls', '--nope']];
  for (const dsn of closed) {
    const ends = await Promise.all(
      commands.map(([command, ...rest]) =>
        cairnq([command, dsn, ...rest], { env: { PGCONNECT_TIMEOUT: '1' } }),
      ),
    );
    expect(ends.map(({ code }) => code)).not.toContain(0);
    expect(ends.map(({ out, err }) => out + err).join()).not.toMatch(/s3c/);
  }
  const twice = await cairnq(['stats', closed[0], closed[1]]);
  expect([twice.code, /s3c/.test(twice.out + twice.err)]).toEqual([2, false]);
});

it('an end has a code and, with --json, a document', async () => {
  const unknown = await cairnq(['nonsense']);
  expect([unknown.code, unknown.err]).toEqual([
    2,
    'cairnq: there is no command "nonsense": cairnq --help lists them\n',
  ]);
  expect((await cairnq([])).code).toBe(2);
  for (const args of [
    ['stats'],
    ['stats', 'a.db', 'b.db'],
    ['ls', 'a.db', '--limit', '0'],
    ['ls', 'a.db', '--limit', 'many'],
    ['show', 'a.db'],
    ['show', 'a.db', 'id', '--key', 'k'],
    ['submit', 'a.db', 'x', '{not json'],
    ['submit', 'a.db', 'x', '{}', '--metadata', '[]'],
    ['retry', 'a.db'],
    ['top', 'a.db', '--interval', '1ms'],
    ['purge', 'a.db', '--older-than', 'long'],
    ['dashboard', '--port'],
  ]) {
    expect([args, (await cairnq(args)).code]).toEqual([args, 2]);
  }
  const missing = await cairnq(['stats', '/nowhere/tasks.db', '--json']);
  expect(missing.code).toBe(3);
  expect(missing.json().error).toMatchObject({ code: 'SQLITE_CANTOPEN', exitCode: 3 });
});

it('a reader that has seen enough ends it quietly', async () => {
  const { spawn } = await import('node:child_process');
  const { program } = await import('./run.js');
  const child = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  expect([code, err]).toEqual([0, '']);
});

it('dashboard hands over to its package, or says how to get it', async () => {
  const installed = createRequire(import.meta.url).resolve.paths('@cairnq/dashboard') ?? [];
  const present = installed.some((folder) => existsSync(path.join(folder, '@cairnq/dashboard')));
  const { code, err } = await cairnq([
    'dashboard',
    path.join(tmpdir(), 'no such folder', 'tasks.db'),
  ]);
  expect(code).not.toBe(0);
  expect(err).toContain(present ? 'there is no such file' : 'npm install @cairnq/dashboard');
});
