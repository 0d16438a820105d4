/** Submits numbered tasks from `config.from` on, and writes down what was acknowledged. */

import { config, listen, tell as say } from '../process/lines.js';
import { openClient } from '../process/opened.js';
import { NAMES } from './handlers.js';
import { openLedger } from './ledger.js';

const tell = openLedger(config.ledgers);
const client = openClient({ maxQueueDepth: config.maxQueueDepth, queuePollIntervalMs: 20 });
let stopped = false;
listen(({ stop }) => {
  stopped = stop;
});

/** Half of the numbers carry a key, so that a number whose answer never came can be submitted again. */
async function submit(n) {
  const keyed = n % 2 === 0;
  const payload = { n, keyed, ms: (n * 37) % 60 };
  const task = await client.submit(NAMES[n % NAMES.length], payload, {
    maxAttempts: 1_000_000,
    ...(keyed && { key: `n${n}`, conflict: 'reuse-succeeded' }),
  });
  tell('acknowledged', { id: task.id, n });
}

say('running');
for (let n = config.from; !stopped; n += config.lanes) {
  try {
    await Promise.all(Array.from({ length: config.lanes }, (_, lane) => submit(n + lane)));
  } catch (error) {
    tell('error', { name: error.name, message: error.message, code: error.code });
  }
}
await client.close();
process.exit(0);
