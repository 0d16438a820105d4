import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { cairnq, onBackend } from '../spec/stage.js';

/** A disk of 4 MB; only root may mount one. */
function smallDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'cairnq-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

onBackend('sqlite', 'case 16: a full disk', () => {
  let disk;
  beforeEach(() => {
    disk = smallDisk();
  });
  afterEach(() => {
    if (disk === undefined) return;
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  it('case 16 is reported within bounds, loses nothing, and needs no restart once there is room', async (test) => {
    if (disk === undefined) return test.skip('only root may mount a small disk');
    const path = join(disk, 'tasks.db');
    const client = cairnq.CairnQ.sqlite(path);
    const reports = [];
    const worker = new cairnq.Worker(client.store, ['default'], {
      pollIntervalMs: 20,
      onError: (error, info) => reports.push({ error, info }),
    });
    const ran = [];
    // A result as large as the disk's last room: the attempt ends, and its outcome cannot be written.
    worker.task('fill', (ctx, size) => {
      ran.push(ctx.taskId);
      return 'x'.repeat(size);
    });
    const running = worker.run();
    try {
      const waiting = await client.submit('fill', 300_000, { runAtDelayMs: 300 });
      writeFileSync(join(disk, 'filler'), Buffer.alloc(3_700_000));
      const accepted = [];
      const error = await until(async () => {
        try {
          const payload = 'x'.repeat(20_000);
          accepted.push(await client.submit('kept', payload, { queue: 'elsewhere' }));
          return false;
        } catch (refused) {
          return refused;
        }
      });
      expect(error.code).toBe('SQLITE_FULL');
      expect(error.message).toContain(path);
      await until(() => ran.length > 0 || reports.length > 0);
      expect((await client.get(waiting.id)).status).not.toBe('succeeded');
      expect(reports.length).toBeLessThan(20);
      rmSync(join(disk, 'filler'));
      expect((await client.wait(waiting.id, { timeoutMs: 20_000 })).status).toBe('succeeded');
      expect(ran).toEqual([waiting.id]);
      for (const { id } of accepted) expect((await client.get(id)).id).toBe(id);
      await client.submit('kept', 'after');
    } finally {
      rmSync(join(disk, 'filler'), { force: true });
      worker.stop();
      await running;
      await client.close();
    }
  }, 60_000);
});
