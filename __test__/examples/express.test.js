import { describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { clientOn, databaseFile, startExample } from './example.js';

async function server(database) {
  const peer = startExample('express/server.js', { env: { DATABASE: database, PORT: '0' } });
  const { text } = await peer.event('text');
  const base = `http://127.0.0.1:${/\d+/.exec(text)[0]}`;
  const ask = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(base + path, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, at: answer.headers.get('location'), body: await answer.json() };
  };
  return { peer, ask };
}

describe('examples/express [sqlite]', () => {
  it('answers 202, then the result; refuses, cancels and knows what it does not know', async () => {
    const { ask } = await server(databaseFile());
    const accepted = await ask('POST', '/reports', { month: '2026-05' });
    expect(accepted.status).toBe(202);
    expect((await ask('POST', '/reports', { month: '2026-05' })).at).toBe(accepted.at);
    const ended = await until(async () => {
      const { body } = await ask('GET', accepted.at);
      return body.status === 'succeeded' && body;
    });
    expect(ended).toMatchObject({ progress: 1, result: { month: '2026-05', pages: 5 } });

    const other = await ask('POST', '/reports', { month: '2026-06' });
    expect((await ask('DELETE', other.at)).status).toBe(202);
    await until(async () => (await ask('GET', other.at)).body.status === 'canceled');
    expect((await ask('DELETE', other.at)).status).toBe(409);
    expect((await ask('POST', '/reports', { month: 'May' })).status).toBe(400);
    expect((await ask('GET', '/reports/none')).status).toBe(404);
  });

  it('ends by itself on SIGTERM, and what it began is finished', async () => {
    const database = databaseFile();
    const { peer, ask } = await server(database);
    const { body } = await ask('POST', '/reports', { month: '2026-07' });
    await until(async () => (await ask('GET', `/reports/${body.id}`)).body.status === 'running');
    peer.kill('SIGTERM');
    expect(await peer.exitWithin(15_000)).toEqual({ code: 0, signal: null });
    expect(peer.lines.at(-1).text).toBe('ended');
    expect(await clientOn(database).getStatus(body.id)).toEqual({
      id: body.id,
      status: 'succeeded',
    });
  });
});
