/** Submits numbered tasks from `config.from` on, and writes down what was acknowledged. */

import { config, listen, tell as say } from '../process/lines.js';
import { openClient } from '../process/opened.js';
import { openLedger } from './ledger.js';
import { submitNumber } from './numbered.js';

const tell = openLedger(config.ledgers);
const client = openClient({ maxQueueDepth: config.maxQueueDepth, queuePollIntervalMs: 20 });
let stopped = false;
listen(({ stop }) => {
  stopped = stop;
});

say('running');
for (let n = config.from; !stopped; n += config.lanes) {
  const lanes = Array.from({ length: config.lanes }, (_, lane) => n + lane);
  try {
    await Promise.all(lanes.map((number) => submitNumber(client, tell, number)));
  } catch (error) {
    tell('error', { name: error.name, message: error.message, code: error.code });
  }
}
await client.close();
process.exit(0);
