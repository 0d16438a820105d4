/** A worker that runs until it is killed, or until its parent closes stdin. */

import { config, listen, tell as say } from '../process/lines.js';
import { openWorker } from '../process/opened.js';
import { handlers } from './handlers.js';
import { openLedger } from './ledger.js';

const tell = openLedger(config.ledgers);
const worker = openWorker({
  leaseMs: config.leaseMs,
  concurrency: config.concurrency,
  retryBackoffMs: 5,
  onError: ({ name, message, code }, info) => tell('error', { name, message, code, ...info }),
});
for (const [name, handler] of Object.entries(handlers(tell))) worker.task(name, handler);

listen(async ({ stop }) => {
  if (!stop) return;
  worker.stop();
  await running;
  await worker.close();
  process.exit(0);
});
const running = worker.run();
say('running');
