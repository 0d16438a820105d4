import { chmod, copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rejection, until } from '../spec/events.js';
import { cairnq, onBackend, setStage } from '../spec/stage.js';

const files = (path) => [path, `${path}-wal`, `${path}-shm`];

/** A client and an idle worker on a database that holds one task. */
async function opened(backend) {
  const stage = await setStage(backend);
  const client = stage.client();
  const first = await client.submit('first', null, { queue: 'elsewhere' });
  stage.run({ none: () => null });
  return { stage, client, first, away: (name) => join(stage.world.directory, name) };
}

/** Submits until one succeeds; whatever succeeds has to be in the file at the path. */
async function submitsAgain(stage, client) {
  const task = await until(() => client.submit('again').catch(() => false), { everyMs: 50 });
  expect(await stage.row(task.id)).toBeDefined();
}

/** The idle worker's next looks at the database fail, and say why. */
async function reported(stage, code) {
  await until(() => stage.reports.find(({ error }) => error.code === code), { timeoutMs: 5000 });
  expect(stage.reports.every(({ info }) => info.phase === 'claim')).toBe(true);
}

onBackend('sqlite', 'case 17: the database taken from under an open store', (backend) => {
  it.skipIf(process.platform === 'win32')(
    'case 17 rm: an idle worker reports it, no write succeeds, and no empty file takes its place',
    async () => {
      const { stage, client } = await opened(backend);
      for (const file of files(stage.path)) await rm(file);
      await reported(stage, 'SQLITE_READONLY_DBMOVED');
      for (let i = 0; i < 5; i++) {
        const error = await rejection(client.submit('refused'));
        expect(error.message).toContain(stage.path);
      }
      const fresh = stage.client({ store: stage.store() });
      await fresh.submit('theirs');
      await submitsAgain(stage, client);
    },
  );

  it.skipIf(process.platform === 'win32')('case 17 mv, and back', async () => {
    const { stage, client, first, away } = await opened(backend);
    await rename(stage.path, away('moved.db'));
    const error = await rejection(client.submit('refused'));
    expect(error.code).toMatch(/SQLITE_READONLY_DBMOVED|SQLITE_CANTOPEN/);
    expect(error.message).toContain(stage.path);
    await rename(away('moved.db'), stage.path);
    await submitsAgain(stage, client);
    expect((await client.get(first.id)).id).toBe(first.id);
  });

  it.skipIf(process.platform === 'win32')('case 17 chmod 444, and back', async () => {
    const { stage, client, first } = await opened(backend);
    await chmod(stage.path, 0o444);
    const error = await rejection(client.submit('refused'));
    expect(error.code).toBe('SQLITE_READONLY');
    expect(error.message).toContain(stage.path);
    expect((await client.get(first.id)).id).toBe(first.id);
    await chmod(stage.path, 0o644);
    await submitsAgain(stage, client);
  });

  it.skipIf(process.platform === 'win32')(
    'case 17 another file put over it is used from then on, without the old log',
    async () => {
      const { stage, client, first, away } = await opened(backend);
      const other = cairnq.CairnQ.sqlite(away('other.db'));
      const { id } = await other.submit('other');
      await other.close();
      await copyFile(away('other.db'), away('over.db'));
      await rename(away('over.db'), stage.path);
      await reported(stage, 'SQLITE_READONLY_DBMOVED');
      await submitsAgain(stage, client);
      expect((await client.get(id)).id).toBe(id);
      expect(await client.get(first.id)).toBe(null);
      expect(await stage.sql('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    },
  );

  it.skipIf(process.platform === 'win32')(
    'case 17 a file that is no database put over it',
    async () => {
      const { stage, client, away } = await opened(backend);
      await writeFile(away('text'), 'no database '.repeat(1000));
      await rename(away('text'), stage.path);
      const codes = [];
      for (let i = 0; i < 4; i++) codes.push((await rejection(client.submit('refused'))).code);
      expect(codes).toContain('SQLITE_NOTADB');
    },
  );
});
