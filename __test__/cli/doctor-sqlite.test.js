import { chmod, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fileFindings } from '../../lib/cli/doctor/file.js';
import { onBackend } from '../spec/stage.js';
import { until } from '../support/until.js';
import { findings, sound } from './examined.js';
import { cairnq } from './run.js';

const NOBODY = 65_534;

onBackend('sqlite', 'doctor and the files', (backend) => {
  it.runIf(process.platform === 'linux')(
    'finds a log that a reader keeps, and names the reader',
    async () => {
      const { stage, store, target } = await sound(backend);
      const reader = await stage.world.connection();
      await reader.sql('begin');
      await reader.sql('select count(*) from cairnq_tasks');
      const payload = 'x'.repeat(4 * 2 ** 20);
      for (let i = 0; i < 10; i++)
        await store.submit({ name: 'large', payload, runAtDelayMs: 60_000 });
      const found = await findings(target);
      expect(found.ids).toContain('log-size');
      const { readers, bytes } = found.of('log-size').facts;
      expect(bytes).toBeGreaterThan(32 * 2 ** 20);
      expect(readers.map(({ command }) => command)).toEqual(['node foreign-sqlite-process.js']);
      await reader.sql('rollback');
      // The store that is open cuts the log, as the remedy says.
      await until(async () => !(await findings(target)).ids.includes('log-size'));
    },
  );

  it.runIf(process.platform !== 'win32')('finds files that everybody may write', async () => {
    const { stage, store, target } = await sound(backend);
    await store.close();
    await chmod(stage.path, 0o666);
    const found = await findings(target);
    expect(found.ids).toContain('permissions');
    expect(found.of('permissions').title).toBe('everybody on this host may write the database');
  });

  // Another user can be had by root only.
  it.runIf(process.getuid?.() === 0)('finds files that this user may not write', async () => {
    const { stage, target } = await sound(backend);
    await chmod(stage.world.directory, 0o755);
    await chmod(stage.path, 0o644);
    await chmod(`${stage.path}-wal`, 0o644);
    await chmod(`${stage.path}-shm`, 0o644);
    const { code, out } = await cairnq(['doctor', target, '--json', '--wait', '1ms'], {
      uid: NOBODY,
    });
    expect(code).toBe(1);
    const titles = JSON.parse(out).findings.map(({ title }) => title);
    expect(titles).toContain('the database may not be written by this user');
    expect(titles).toContain('no files may be made beside the database by this user');
  });

  it('finds another journal mode, and much free space', async () => {
    const { stage, store, target } = await sound(backend);
    await store.close();
    const connection = await stage.world.connection();
    await connection.sql('pragma journal_mode = delete');
    await connection.sql('create table filler (bytes blob)');
    await connection.sql('insert into filler values (zeroblob(120000000))');
    await connection.sql('drop table filler');
    await connection.close();
    const found = await findings(target);
    expect(found.ids).toContain('journal-mode');
    expect(found.of('free-space')).toMatchObject({ severity: 'note' });
  });

  it('takes what opening warned of a network file system for a problem', async () => {
    // A share cannot be mounted in a test; which file systems count is tested where the warning is made.
    const { stage, store } = await sound(backend);
    await store.close();
    const warning = { name: 'NetworkFileSystemWarning', message: 'it lies on nfs4' };
    const facts = { storage: { rows: [] } };
    const found = await fileFindings(stage.path, facts, [warning, { name: 'Other', message: '' }]);
    expect(found.map(({ id, severity }) => [id, severity])).toEqual([
      ['network-file-system', 'problem'],
    ]);
    expect(found[0].explanation).toBe('it lies on nfs4');
  });

  it('opens a file: URI and a path with odd characters', async () => {
    const folder = await mkdtemp(path.join('/tmp', 'cairnq odd ? # % '));
    const file = path.join(folder, "it's 100 %.db");
    expect((await cairnq(['migrate', file, '--yes'])).code).toBe(0);
    const uri = `file:${file.replaceAll('%', '%25').replaceAll('?', '%3f').replaceAll('#', '%23')}`;
    expect((await findings(uri)).findings.map(({ id }) => id)).toEqual(['schema']);
  });
});
