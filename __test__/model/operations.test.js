import { expect, it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { playOnStores } from './interpreter.js';
import { storePrograms } from './programs.js';
import { budgetMs, playMany } from './settings.js';

const SECONDS = 5;
const levels = [
  ['6', {}],
  ['10', { migrate: 'latest' }],
];

onEveryBackend('model of the operations', (backend) => {
  it.each(levels)(
    '2.5 random programs at level %s do to the tables what the model says',
    async (level, options) => {
      const stage = await setStage(backend);
      const stores = [stage.store(options), stage.store(options)];
      await stores[0].connect();
      const { sql } = await stage.world.connection();
      const parts = { stores, sql, dueOrder: level === '10' };
      const title = `${backend.name}, level ${level}`;
      const played = await playMany(
        title,
        storePrograms,
        (program) => playOnStores(parts, program),
        { seconds: SECONDS },
      );
      console.log(`${title}: ${played} programs`);
      expect(played).toBeGreaterThan(5);
    },
    budgetMs(SECONDS) * 4 + 60_000,
  );
});
