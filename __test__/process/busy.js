/** Submits and runs its own and everybody's tasks until told to stop, and tells every error it meets. */
import { config, listen, tell } from './lines.js';
import { openClient, openStore, openWorker } from './opened.js';

const store = openStore();
const client = openClient({}, store);
const counts = { submitted: 0, ran: 0 };
const worker = openWorker(
  {
    concurrency: 8,
    onError: ({ message, code }, info) => tell('error', { message, code, ...info }),
  },
  store,
);
worker.task('busy', () => {
  counts.ran += 1;
});
let stopped = false;
listen(() => {
  stopped = true;
});

const running = worker.run();
tell('running');
while (!stopped) {
  try {
    await Promise.all([0, 1, 2, 3].map((n) => client.submit('busy', n)));
    counts.submitted += 4;
    if (counts.submitted % 16 === 0) await client.stats();
    await client.list({ limit: 5 });
  } catch ({ message, code }) {
    tell('error', { message, code, phase: 'submit' });
  }
  if ((await client.queueDepth('default', config.depth)) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
worker.stop();
await running;
await worker.close();
tell('counts', counts);
process.exit(0);
