import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { onBackend, setStage } from '../spec/stage.js';

onBackend('sqlite', 'the files', (backend) => {
  it.runIf(process.platform !== 'win32').each([
    [0o077, 0o600],
    [0o027, 0o640],
  ])('7 a database made under umask %o has mode %o, its log and index too', async (umask, mode) => {
    const stage = await setStage(backend);
    const peer = stage.peer('masked.js', { umask });
    await peer.event('written');
    for (const file of [stage.path, `${stage.path}-wal`, `${stage.path}-shm`]) {
      expect([file, statSync(file).mode & 0o777]).toEqual([file, mode]);
    }
    peer.send({});
    expect(await peer.exitWithin(10_000)).toEqual({ code: 0, signal: null });
  });
});
