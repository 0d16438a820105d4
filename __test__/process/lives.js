/**
 * Opens and closes stores and starts and stops workers, `config.cycles` times, and ends by itself. Where it may collect
 * garbage it tells now and then what it holds.
 */
import { holdings } from './holdings.js';
import { config, tell } from './lines.js';
import { openClient, openWorker } from './opened.js';

for (let n = 1; n <= config.cycles; n++) {
  const client = openClient({});
  const worker = openWorker({ concurrency: 4, heartbeatIntervalMs: 100 });
  worker.task('echo', (_ctx, payload) => payload);
  worker.task('fails', async (ctx) => {
    await ctx.progress(0.5, 'half way');
    throw new Error('not today');
  });
  const running = worker.run();
  await client.submitMany([
    { name: 'echo', payload: n },
    { name: 'fails', maxAttempts: 1 },
  ]);
  await client.call('echo', { n });
  await client.call('fails', null, { maxAttempts: 1 }).catch(() => {});
  await client.list();
  await client.purge();
  worker.stop();
  await running;
  await worker.close();
  await client.close();
  if (globalThis.gc && n % config.every === 0) tell('holdings', { n, ...(await holdings()) });
}
tell('done');
