import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { run } from '@cairnq/dashboard';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onEveryBackend } from '../backends.js';
import { openSqlite } from '../support/sqlite-backend.js';

const bin = fileURLToPath(new URL('../../dashboard/bin.js', import.meta.url));

/** Runs the command in this process and keeps what it wrote. */
async function command(args, env = {}) {
  const written = { out: '', err: '' };
  const into = (name) => ({
    write: (text) => {
      written[name] += text;
    },
  });
  const { code, close } = await run(args, { env, out: into('out'), err: into('err') });
  return { ...written, code, close };
}

describe('wrong arguments', () => {
  it.each([
    [[], /exactly one TARGET/],
    [['a.db', 'b.db'], /exactly one TARGET/],
    [['a.db', '--colour'], /Unknown option '--colour'/],
  ])('7.3 %j say what is wrong and how it is used', async (args, message) => {
    const { code, err, out } = await command(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err).toContain('Usage: cairnq-dashboard TARGET');
  });

  it('7.3 --help shows an example', async () => {
    const { code, out, err } = await command(['--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Example: cairnq-dashboard tasks.db');
  });
});

describe('what cannot be served', () => {
  /** @type {Awaited<ReturnType<typeof openSqlite>>} */
  let world;
  beforeEach(async () => {
    world = await openSqlite();
    await world.store.connect();
  });
  afterEach(() => world.close());

  it.each([
    ['a port that is none', (path) => [path, '--port', '70000'], /--port must be/],
    ['a file that is missing', (path) => [`${path}.none`, '--port', '0'], /\.none/],
    ['an open door', (path) => [path, '--host', '0.0.0.0'], /give it a token \(--token/],
    ['a short token', (path) => [path, '--token', 'short'], /16 or more/],
    ['an odd base', (path) => [path, '--base', 'queue'], /basePath/],
  ])('7.3 %s is said, with exit code 1', async (_, args, message) => {
    const { code, out, err, close } = await command(args(world.path));
    expect([code, out, close]).toEqual([1, '', undefined]);
    expect(err).toMatch(message);
  });

  it('7.3 a port that is taken is said', async () => {
    const first = await command([world.path, '--port', '0']);
    const port = new URL(first.out.split(' ').at(-1)).port;
    const second = await command([world.path, '--port', port]);
    expect(second.code).toBe(1);
    expect(second.err).toMatch(/EADDRINUSE/);
    await first.close();
  });

  it('7.3 the token comes from the environment too', async () => {
    const env = { CAIRNQ_DASHBOARD_TOKEN: 'a token that nobody guesses' };
    const { out, close } = await command([world.path, '--port', '0', '--base', '/q'], env);
    const url = out.trim().split(' ').at(-1);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/q\/$/);
    expect((await fetch(`${url}api/overview`)).status).toBe(401);
    const headers = { authorization: `Bearer ${env.CAIRNQ_DASHBOARD_TOKEN}` };
    expect((await fetch(`${url}api/overview`, { headers })).status).toBe(200);
    await close();
  });
});

onEveryBackend('cairnq-dashboard', ({ open }) => {
  it('7.3 serves the database until it is told to end', async () => {
    const world = await open();
    await world.client().submit('mail.send');
    const target = world.target.path ?? world.target.dsn;
    const child = spawn(process.execPath, [bin, target, '--port', '0', '--read-only'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = await once(createInterface(child.stdout), 'line');
      const url = /^The dashboard is at (http:\/\/127\.0\.0\.1:\d+\/)$/.exec(line)[1];
      const { queues } = await (await fetch(`${url}api/overview`)).json();
      expect(queues).toMatchObject([{ queue: 'default', counts: { queued: 1 } }]);
      expect(await (await fetch(`${url}api/session`)).json()).toMatchObject({
        backend: world.name,
        readOnly: true,
        admitted: true,
      });
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      await world.close();
    }
  });
});
