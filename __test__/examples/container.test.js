import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clientOn, databaseFile, startExample } from './example.js';

const encode = (seconds) => ({ name: 'film.encode', payload: { seconds } });

async function working(tasks, env) {
  const database = databaseFile();
  const client = clientOn(database);
  const ids = (await client.submitMany(tasks)).map(({ id }) => id);
  const peer = startExample('container/worker.js', {
    env: { DATABASE: database, CONCURRENCY: '1', ...env },
  });
  await peer.event('started', { where: ({ taskId }) => taskId === ids[0] });
  return { client, ids, peer };
}

describe('examples/container [sqlite]', () => {
  it('finishes what runs within the grace and leaves the rest queued', async () => {
    const { client, ids, peer } = await working([encode(0.5), encode(0.5)], { GRACE_MS: '15000' });
    peer.kill('SIGTERM');
    expect(await peer.exitWithin(14_000)).toEqual({ code: 0, signal: null });
    expect(peer.lines.at(-1)).toEqual({ event: 'ended' });
    expect(await client.get(ids[0])).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(await client.get(ids[1])).toMatchObject({ status: 'queued', attempt: 0 });
  });

  it('hands back what takes longer than the grace, at once', async () => {
    const { client, ids, peer } = await working([encode(3600)], { GRACE_MS: '100' });
    peer.kill('SIGTERM');
    expect(await peer.exitWithin(10_000)).toEqual({ code: 0, signal: null });
    expect(peer.told('finished')).toEqual([]);
    expect(await client.get(ids[0])).toMatchObject({ status: 'queued', worker_id: null });
  });

  it('has a Dockerfile that starts the program itself, as a user without rights', () => {
    const file = new URL('../../examples/container/Dockerfile', import.meta.url);
    const dockerfile = readFileSync(file, 'utf8');
    expect(dockerfile).toContain('CMD ["node", "worker.js"]');
    expect(dockerfile).toMatch(/^USER node$/m);
  });
});
