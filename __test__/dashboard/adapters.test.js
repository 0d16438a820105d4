import { once } from 'node:events';
import { createServer } from 'node:http';
import { createDashboard, fastifyPlugin, nodeHandler } from '@cairnq/dashboard';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../support/sqlite-backend.js';

/** @type {Awaited<ReturnType<typeof openSqlite>>} */
let world;
/** @type {(() => unknown)[]} */
let closing;
beforeEach(async () => {
  world = await openSqlite();
  closing = [];
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  await world.close();
});

const basePath = '/admin/queue';

function dashboard(base = basePath) {
  return createDashboard({ store: world.store, open: true, basePath: base, title: 'mounted' });
}

async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

const MOUNTS = {
  'node:http at the root': async () =>
    `${await listen(createServer(nodeHandler(dashboard('/'))))}/`,
  'node:http under a path': async () =>
    `${await listen(createServer(nodeHandler(dashboard())))}${basePath}/`,
  Express: async () => {
    const app = express();
    app.use(basePath, nodeHandler(dashboard()));
    return `${await listen(createServer(app))}${basePath}/`;
  },
  'Express behind a body parser': async () => {
    const app = express();
    app.use(express.json());
    app.use(basePath, nodeHandler(dashboard()));
    return `${await listen(createServer(app))}${basePath}/`;
  },
  Fastify: async () => {
    const app = fastify();
    await app.register(fastifyPlugin(dashboard()));
    closing.push(() => app.close());
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}${basePath}/`;
  },
  Hono: async () => {
    const app = new Hono();
    const { fetch } = dashboard();
    app.all(`${basePath}/*`, (c) => fetch(c.req.raw));
    // Hono answers Requests; the adapter stands for its server.
    return `${await listen(createServer(nodeHandler({ basePath, fetch: async (r) => app.fetch(r) })))}${basePath}/`;
  },
  'a route of Next.js': async () => {
    const { fetch } = dashboard();
    const route = { GET: fetch, POST: fetch };
    const handle = (request) => route[request.method === 'HEAD' ? 'GET' : request.method](request);
    return `${await listen(createServer(nodeHandler({ basePath, fetch: handle })))}${basePath}/`;
  },
};

describe.each(Object.entries(MOUNTS))('%s', (_, mount) => {
  it('7.3 serves the page, its parts, reads and actions', async () => {
    const url = await mount();
    const task = await world.client().submit('mail.send', { to: 'ada' });

    const page = await fetch(`${url}tasks/${task.id}`);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toContain('<title>mounted</title>');
    expect(html).toContain(`<base href="${new URL(url).pathname}"`);
    const parts = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, part]) => part);
    expect(parts.length).toBeGreaterThanOrEqual(3);
    for (const part of parts) {
      const answer = await fetch(url + part);
      expect(answer.status, part).toBe(200);
      expect((await answer.text()).length, part).toBeGreaterThan(100);
    }

    const first = await fetch(`${url}api/session`);
    const { csrf } = await first.json();
    const headers = {
      cookie: first.headers.getSetCookie()[0].split(';')[0],
      'x-cairnq-csrf': csrf,
      'content-type': 'application/json',
      origin: new URL(url).origin,
    };
    const cancel = { method: 'POST', headers, body: JSON.stringify({ ids: [task.id] }) };
    const done = await fetch(`${url}api/cancel`, cancel);
    expect(await done.json()).toEqual({ done: 1, unchanged: 0 });
    expect((await world.client().get(task.id)).status).toBe('canceled');

    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

it('7.3 the path without its slash leads to the one with it', async () => {
  const url = await MOUNTS['node:http under a path']();
  const answer = await fetch(url.slice(0, -1), { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([308, `${basePath}/`]);
});

it('7.3 odd requests are answered and do not end the server', async () => {
  const url = await MOUNTS['node:http under a path']();
  const { port } = new URL(url);
  const { connect } = await import('node:net');
  const lines = ['GET //x', 'PROPFIND /', 'GET /%ff%00', 'TRACE /', 'GET http://[x/', 'POST /'];
  for (const line of lines) {
    for (const host of ['a b"', 'user:word@host', 'host:999999', '[::1', '%']) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(`${line} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
      let text = '';
      for await (const chunk of socket) text += chunk;
      expect(text, `${line} ${host}`).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
  }
  expect((await fetch(url)).status).toBe(200);
});
