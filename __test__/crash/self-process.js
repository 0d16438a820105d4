/**
 * A worker that submits a task to its own queue and waits for its end, again and again: most of them are claimed by the
 * transaction that writes them.
 */

import { config, tell as say } from '../process/lines.js';
import { openClient, openStore, openWorker } from '../process/opened.js';
import { handlers } from './handlers.js';
import { openLedger } from './ledger.js';
import { submitNumber } from './numbered.js';

const tell = openLedger(config.ledgers);
const store = openStore();
const client = openClient({}, store);
const worker = openWorker({ leaseMs: config.leaseMs, concurrency: 2, retryBackoffMs: 5 }, store);
for (const [name, handler] of Object.entries(handlers(tell))) worker.task(name, handler);
void worker.run();
say('running');
for (let n = config.from; ; n += 1) {
  const id = await submitNumber(client, tell, n, config.queues[0]);
  await client.wait(id);
}
