/** Starts a worker, sees one task through, and stops; or stays, or is only a client, as it is told. */
import { config, tell } from './lines.js';
import { openClient, openStore, openWorker } from './opened.js';

const store = openStore();
const client = openClient({}, store);
if (config.clientOnly) {
  await client.submit('left behind');
  tell('submitted');
} else {
  const worker = openWorker({}, store);
  worker.task('once', () => 1);
  const running = worker.run();
  await client.call('once');
  tell('started');
  if (!config.stay) {
    worker.stop();
    await running;
    await worker.close();
    tell('stopped');
  }
}
