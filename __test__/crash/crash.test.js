import { expect, it } from 'vitest';
import { seed } from '../model/settings.js';
import { onBackend, onEveryBackend, setStage } from '../spec/stage.js';
import { crashRun } from './harness.js';
import { sabotage } from './sabotage.js';
import { isClean } from './verdict.js';

const SECONDS = Number(process.env.CAIRNQ_CRASH_SECONDS ?? 12);
const atLeast = { kills: 6, tasks: 60 };
const timeout = SECONDS * 1000 + 290_000;

onEveryBackend('crashes', (backend) => {
  it(
    'case 10 producers and workers are killed all the time, and nothing is lost or done twice',
    async () => {
      const { world } = await setStage(backend);
      const report = await crashRun({ world, seconds: SECONDS, atLeast, seed });
      console.log(`${backend.name}:`, report);
      expect(report).toMatchObject({ lost: [], doubleSettled: [], overlapping: [], twins: [] });
      expect(report.strange).toEqual([]);
      expect(report.kills).toBeGreaterThanOrEqual(atLeast.kills);
      expect(report.tasks).toBeGreaterThanOrEqual(atLeast.tasks);
      // On SQLite an update claims them, in the transaction that inserts them.
      if (backend.name === 'postgres') expect(report.claimedAsWritten).toBeGreaterThan(0);
      expect(isClean(report)).toBe(true);
    },
    timeout,
  );
});

onBackend('sqlite', 'crashes', (backend) => {
  it(
    'case 10 the run can fail: stolen, revived and forgotten tasks are all found',
    async () => {
      const { world } = await setStage(backend);
      const report = await crashRun({ world, seconds: 5, atLeast, seed, sabotage });
      expect(report.lost.length).toBeGreaterThan(0);
      expect(report.doubleSettled.length).toBeGreaterThan(0);
      expect(report.overlapping.length).toBeGreaterThan(0);
      expect(isClean(report)).toBe(false);
    },
    timeout,
  );
});
