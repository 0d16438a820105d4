import { expect, it } from 'vitest';
import { pass } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { sized } from './long.js';

const PROCESSES = 8;
const SECONDS = sized({ short: 4, long: 60 });

onEveryBackend('case 12: eight processes on one database', (backend) => {
  it(
    'case 12 nobody is told that the database is busy, and every task is run',
    async () => {
      const stage = await setStage(backend);
      const client = stage.client();
      await client.connect();
      const peers = Array.from({ length: PROCESSES }, () => stage.peer('busy.js', { depth: 200 }));
      await Promise.all(peers.map((peer) => peer.event('running', { timeoutMs: 60_000 })));
      await pass(SECONDS * 1000); // the subject is what happens meanwhile
      for (const peer of peers) peer.send({ stop: true });
      const counts = await Promise.all(
        peers.map((peer) => peer.event('counts', { timeoutMs: 60_000 })),
      );
      expect(peers.flatMap((peer) => peer.told('error'))).toEqual([]);
      const submitted = counts.reduce((sum, count) => sum + count.submitted, 0);
      const [{ rows }] = await stage.sql('select count(*) as rows from cairnq_tasks');
      expect(Number(rows)).toBe(submitted);
      const ran = counts.reduce((sum, count) => sum + count.ran, 0);
      const { queued, succeeded } = (await client.stats('default')).default;
      expect({ queued, succeeded, ran }).toEqual({ queued: submitted - ran, succeeded: ran, ran });
      expect(ran).toBeGreaterThan(PROCESSES);
    },
    SECONDS * 1000 + 180_000,
  );
});
