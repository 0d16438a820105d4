import { createDashboard, serveDashboard } from '@cairnq/dashboard';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../support/sqlite-backend.js';
import { ask } from './support/served.js';

const TOKEN = 'a token that nobody guesses';

/** @type {Awaited<ReturnType<typeof openSqlite>>} */
let world;
beforeEach(async () => {
  world = await openSqlite();
  await world.store.connect();
});
afterEach(() => world.close());

describe('who may enter', () => {
  it.each([
    ['nothing said', {}],
    ['two ways at once', { open: true, token: TOKEN }],
    ['open that is not true', { open: false }],
  ])('7.3 %s is refused when it is made', (_, options) => {
    expect(() => createDashboard({ store: world.store, ...options })).toThrow(
      /exactly one of token/,
    );
  });

  it('7.3 a token that could be guessed is refused', () => {
    expect(() => createDashboard({ store: world.store, token: 'short' })).toThrow(/16 or more/);
  });

  it('7.3 nothing of the database is told without the token, and nothing done', async () => {
    const { get, post, session } = ask(world, { token: TOKEN });
    for (const path of ['overview', 'names', 'tasks', 'task?id=x', 'workers', 'nothing']) {
      expect((await get(`api/${path}`)).status, path).toBe(401);
    }
    for (const path of ['retry', 'cancel', 'purge']) {
      expect((await post(`api/${path}`, { ids: ['x'], olderThanMs: 0 })).status, path).toBe(401);
    }
    const told = await session();
    expect(Object.keys(told).sort()).toEqual(['admitted', 'asksToken', 'cookie', 'csrf']);
    expect(told).toMatchObject({ admitted: false, asksToken: true });
  });

  it('7.3 the token lets in as a bearer, and as a cookie after a login', async () => {
    const { get, post } = ask(world, { token: TOKEN });
    const bearer = (token) => ({ headers: { authorization: `Bearer ${token}` } });
    expect((await get('api/overview', bearer(TOKEN))).status).toBe(200);
    expect((await get('api/overview', bearer(`${TOKEN}.`))).status).toBe(401);
    expect((await post('api/login', { token: 'wrong' })).status).toBe(401);
    expect((await post('api/login', { token: [TOKEN] })).status).toBe(401);

    const login = await post('api/login', { token: TOKEN });
    expect(login.status).toBe(200);
    const [setCookie] = login.headers.getSetCookie();
    expect(setCookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    expect(setCookie).not.toContain(TOKEN);
    const [cookie] = setCookie.split(';');
    expect((await get('api/overview', { headers: { cookie } })).status).toBe(200);

    const other = ask(world, { token: `another ${TOKEN}` });
    expect((await other.get('api/overview', { headers: { cookie } })).status).toBe(401);
    const later = cookie.replace(/=\d+/, `=${Date.now() + 86_400_000_000}`);
    expect((await get('api/overview', { headers: { cookie: later } })).status).toBe(401);
  });

  it('7.3 a session ends by itself', async () => {
    const { get, post } = ask(world, { token: TOKEN });
    const [cookie] = (await post('api/login', { token: TOKEN })).headers.getSetCookie();
    const now = Date.now;
    Date.now = () => now() + 13 * 3_600_000;
    try {
      const headers = { cookie: cookie.split(';')[0] };
      expect((await get('api/overview', { headers })).status).toBe(401);
    } finally {
      Date.now = now;
    }
  });

  it('7.3 authorize decides for each request, and only true lets in', async () => {
    const answers = { yes: true, no: false, odd: 'yes', none: undefined };
    const authorize = async (request) => answers[request.headers.get('x-user')];
    const { get } = ask(world, { authorize });
    const status = async (user) =>
      (await get('api/workers', { headers: { 'x-user': user } })).status;
    expect(await status('yes')).toBe(200);
    for (const user of ['no', 'odd', 'none']) expect(await status(user), user).toBe(401);
  });

  it('7.3 it does not listen for other machines without a token', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'queue.example.org']) {
      await expect(serveDashboard({ target: world.path, host, port: 0 }), host).rejects.toThrow(
        /open to everybody who reaches .*token/,
      );
    }
  });

  it('7.3 listening elsewhere, it asks for the token', async () => {
    const served = await serveDashboard({
      target: world.path,
      host: '0.0.0.0',
      port: 0,
      token: TOKEN,
    });
    try {
      expect((await fetch(`${served.url}api/overview`)).status).toBe(401);
      const headers = { authorization: `Bearer ${TOKEN}` };
      expect((await fetch(`${served.url}api/overview`, { headers })).status).toBe(200);
    } finally {
      await served.close();
    }
  });

  it('7.3 read-only refuses every action, and can be decided for each request', async () => {
    const always = ask(world, { open: true, readOnly: true });
    for (const path of ['retry', 'cancel', 'purge']) {
      const answer = await always.post(`api/${path}`, { ids: ['x'], olderThanMs: 0 });
      expect(answer.status, path).toBe(403);
      expect((await answer.json()).error.code).toBe('read_only');
    }
    expect((await always.session()).readOnly).toBe(true);

    const readOnly = (request) => (request.headers.get('x-user') === 'admin' ? false : undefined);
    const some = ask(world, { open: true, readOnly });
    const purge = { olderThanMs: 0 };
    expect((await some.post('api/purge', purge)).status).toBe(403);
    const admin = { headers: { 'x-user': 'admin' } };
    expect((await some.post('api/purge', purge, admin)).status).toBe(200);
  });
});

describe('requests from elsewhere', () => {
  const purge = { olderThanMs: 0 };

  it.each([
    ['from another origin', { headers: { origin: 'https://evil.example' } }],
    ['from a sandboxed frame', { headers: { origin: 'null' } }],
    ['from another port', { headers: { origin: 'http://queue.test:8080' } }],
    ['that the browser calls cross-site', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['that the browser calls same-site', { headers: { 'sec-fetch-site': 'same-site' } }],
    ['without the header', { without: ['x-cairnq-csrf'] }],
    ['without the cookie', { without: ['cookie'] }],
    ['with a header of its own making', { headers: { 'x-cairnq-csrf': '0'.repeat(32) } }],
  ])('7.3 an action %s is refused', async (_, change) => {
    const answer = await ask(world).post('api/purge', purge, change);
    expect(answer.status).toBe(403);
  });

  it('7.3 a form cannot act: only JSON is taken', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const headers = { 'content-type': type };
      expect((await ask(world).post('api/purge', purge, { headers })).status, type).toBe(415);
    }
  });

  it('7.3 the page itself may act, behind a proxy too when the origin is told', async () => {
    expect((await ask(world).post('api/purge', purge)).status).toBe(200);
    const origin = 'https://ops.example';
    const headers = { origin };
    expect(
      (await ask(world, { open: true, origin }).post('api/purge', purge, { headers })).status,
    ).toBe(200);
    expect((await ask(world, { open: true, origin }).post('api/purge', purge)).status).toBe(403);
  });

  it('7.3 another site cannot read either, and no answer allows it to', async () => {
    const { get } = ask(world);
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await get('api/overview', { headers })).status).toBe(403);
    const preflight = await get('api/purge', { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(405);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('7.3 a name that was made to resolve to this machine is not answered', async () => {
    const served = await serveDashboard({
      target: world.path,
      port: 0,
      allowedHosts: ['Queue.test'],
    });
    const { port } = new URL(served.url);
    const { request } = await import('node:http');
    const statusFor = (host) =>
      new Promise((resolve, reject) => {
        request(
          { port, host: '127.0.0.1', path: '/api/overview', headers: { host } },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        )
          .on('error', reject)
          .end();
      });
    try {
      for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST', 'queue.test']) {
        expect(await statusFor(`${host}:${port}`), host).toBe(200);
      }
      for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '']) {
        expect(await statusFor(`${host}:${port}`), host).toBe(403);
      }
    } finally {
      await served.close();
    }
  });
});

describe('answers', () => {
  it('7.3 every one carries the policy: nothing inline, no other host, no frame', async () => {
    const { get } = ask(world);
    const page = await get('');
    const asset = /src="\.\/(assets\/[^"]+)"/.exec(await page.text())[1];
    for (const path of ['', 'tasks/x', asset, 'assets/none.js', 'api/overview', 'api/none']) {
      const { headers } = await get(path);
      const policy = headers.get('content-security-policy');
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy, path).not.toMatch(/unsafe|https?:|data:|\*/);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('referrer-policy'), path).toBe('no-referrer');
    }
    expect((await get('api/overview')).headers.get('cache-control')).toBe('no-store');
    expect((await get(asset)).headers.get('cache-control')).toContain('immutable');
  });

  it('7.3 files outside the built ones are not reached', async () => {
    const { get } = ask(world);
    for (const path of [
      'assets/../index.js',
      'assets/..%2f..%2fpackage.json',
      'assets/%2e%2e/index.html',
    ]) {
      const answer = await get(path);
      expect(await answer.text(), path).not.toMatch(/export|@cairnq\/dashboard/);
    }
  });

  it('7.3 a title or path with markup stays text', async () => {
    const { get } = ask(world, { open: true, title: '<script>alert(1)</script>"\'&' });
    const html = await (await get('')).text();
    expect(html).toContain('&#60;script&#62;');
    expect(html).not.toContain('<script>');
    for (const basePath of ['queue', '//evil.example', '/a"b', '/a b', '/a?b']) {
      expect(() => createDashboard({ store: world.store, open: true, basePath }), basePath).toThrow(
        /basePath/,
      );
    }
  });

  it('7.3 a body without end or sense is refused', async () => {
    const { post } = ask(world);
    expect((await post('api/purge', { olderThanMs: 0, name: 'x'.repeat(70_000) })).status).toBe(
      413,
    );
    const wrong = [
      ['purge', {}],
      ['purge', { olderThanMs: -1 }],
      ['purge', { olderThanMs: 0, status: 'running' }],
      ['purge', { olderThanMs: 0, queue: 7 }],
      ['purge', [1]],
      ['retry', { ids: [] }],
      ['retry', { ids: [1] }],
      ['retry', { ids: ['x'], resetAttempt: 'yes' }],
      ['cancel', { ids: 'x' }],
      ['cancel', { ids: Array.from({ length: 201 }, () => 'x') }],
    ];
    for (const [path, body] of wrong) {
      const answer = await post(`api/${path}`, body);
      expect(answer.status, `${path} ${JSON.stringify(body)}`.slice(0, 60)).toBe(400);
    }
  });
});
