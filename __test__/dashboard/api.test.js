import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { read } from '../../dashboard/web/data/api.js';

describe('what the pages make of an answer', () => {
  let server;
  let answer;
  beforeEach(async () => {
    server = createServer((_request, response) => answer(response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    vi.stubGlobal('document', { baseURI: `http://127.0.0.1:${server.address().port}/` });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    server.closeAllConnections();
    server.close();
  });

  const half = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"tasks":[');
  };

  it('7.3 an answer that breaks off is a failure and no empty answer', async () => {
    answer = (response) => {
      half(response);
      response.socket.end();
    };
    await expect(read('tasks')).rejects.toMatchObject({ code: 'broken' });
  });

  it('7.3 an answer given up in the middle of its body is given up', async () => {
    answer = half;
    const controller = new AbortController();
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (...args) => {
      const response = await fetch(...args);
      queueMicrotask(() => controller.abort());
      return response;
    });
    await expect(read('tasks', {}, controller.signal)).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('7.3 a refusal keeps its status, whoever worded it', async () => {
    answer = (response) => response.writeHead(502).end('<h1>Bad Gateway</h1>');
    await expect(read('tasks')).rejects.toMatchObject({ status: 502, code: 'unknown' });
    answer = (response) =>
      response.writeHead(404).end('{"error":{"code":"not_found","message":"no such task"}}');
    await expect(read('tasks')).rejects.toMatchObject({ code: 'not_found' });
    server.close();
    server.closeAllConnections();
    await expect(read('tasks')).rejects.toMatchObject({ status: 0, code: 'unreachable' });
  });
});
