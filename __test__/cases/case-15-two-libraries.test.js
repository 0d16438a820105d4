import { expect, it } from 'vitest';
import { pass } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { sized } from './long.js';

const SECONDS = sized({ short: 4, long: 60 });

onBackend('sqlite', 'case 15: another SQLite library in the same process', (backend) => {
  it.skipIf(process.platform === 'darwin')(
    'case 15 opened and closed in a loop beside copies of the files and four processes, it costs no task',
    async () => {
      const stage = await setStage(backend);
      const peers = Array.from({ length: 5 }, (_, i) =>
        stage.peer('two-libraries.js', { both: i === 0 }),
      );
      await Promise.all(peers.map((peer) => peer.event('running', { timeoutMs: 60_000 })));
      await pass(SECONDS * 1000); // the subject is what happens meanwhile
      for (const peer of peers) peer.send({ stop: true });
      const counts = await Promise.all(
        peers.map((peer) => peer.event('counts', { timeoutMs: 60_000 })),
      );
      expect(counts.flatMap(({ errors }) => errors)).toEqual([]);
      expect(await stage.sql('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      const rows = await stage.sql('select id, status, attempt from cairnq_tasks');
      const ids = new Set(rows.map(({ id }) => id));
      const acknowledged = counts.flatMap((count) => count.acknowledged);
      expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
      expect(acknowledged.filter((id) => id.startsWith('foreign')).length).toBeGreaterThan(1);
      const ran = new Set(counts.flatMap(({ settled }) => settled));
      const lost = rows.filter(({ id, status }) => ran.has(id) && status !== 'succeeded');
      expect(lost).toEqual([]);
      expect(rows.filter(({ attempt }) => attempt > 1)).toEqual([]);
    },
    SECONDS * 1000 + 120_000,
  );
});
