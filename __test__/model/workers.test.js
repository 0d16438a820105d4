import { expect, it } from 'vitest';
import { onEveryBackend } from '../spec/stage.js';
import { budgetMs, playMany } from './settings.js';
import { workerPrograms } from './worker-programs.js';
import { playWithWorkers } from './workers.js';

const SECONDS = 9;

onEveryBackend('model of the workers', (backend) => {
  it(
    '8 random programs of workers that come, go and die end as they may',
    async () => {
      const title = `${backend.name}, workers`;
      const play = async (program) => {
        const world = await backend.open();
        try {
          await playWithWorkers({ world }, program);
        } finally {
          await world.close();
        }
      };
      const played = await playMany(title, workerPrograms, play, { seconds: SECONDS });
      console.log(`${title}: ${played} programs`);
      expect(played).toBeGreaterThan(0);
    },
    budgetMs(SECONDS) * 4 + 90_000,
  );
});
