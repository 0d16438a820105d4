/** Ends worker_threads in the middle of handlers, one after the other, and says how each went. */
import { once } from 'node:events';
import { Worker as Thread } from 'node:worker_threads';
import { config, tell } from './lines.js';

const thread = new URL('thread.js', import.meta.url);

for (let round = 1; round <= config.rounds; round++) {
  const started = new Thread(thread, {
    argv: [JSON.stringify({ target: config.target, options: config.options })],
  });
  await once(started, 'message');
  // Not at the same place every time: now in the handler's first line, now between two beats.
  await new Promise((resolve) => setTimeout(resolve, (round * 13) % 40));
  tell('terminated', { round, code: await started.terminate() });
}
tell('done');
