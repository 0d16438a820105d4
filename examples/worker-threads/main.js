/**
 * CPU-bound handlers on threads of their own. Handlers run on the JavaScript thread of their worker, so code that
 * computes for seconds would hold up everything else in that thread. Here each thread has a Worker of its own, all on
 * one database, and the main thread only submits and waits. Leases are renewed by native threads: a handler may block
 * its thread for as long as it needs and keeps its task, and `ctx.cancelRequested` is current even while it does.
 *
 * node examples/worker-threads/main.js [number of threads]
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker as Thread } from 'node:worker_threads';
import { CairnQ } from '@cairnq/native';

const database = process.env.DATABASE ?? 'primes.db';
const count = Number(process.argv[2] ?? Math.max(1, availableParallelism() - 1));

const threads = Array.from(
  { length: count },
  () => new Thread(new URL('./thread.js', import.meta.url), { workerData: { database } }),
);
const client = CairnQ.sqlite(database);

// The event loop of this thread goes on turning while the others compute.
let turns = 0;
const turning = setInterval(() => {
  turns += 1;
}, 10);

const limits = [200_000, 400_000, 600_000, 800_000];
const results = await Promise.all(
  limits.map((below) => client.call('primes.count', { below }, { waitTimeoutMs: 120_000 })),
);
for (const { below, primes } of results) console.log(`${primes} primes below ${below}`);

// This one would block its thread for ever. It sees the cancel all the same.
const endless = await client.submit('primes.count', { below: Number.MAX_SAFE_INTEGER });
while ((await client.getStatus(endless.id))?.status === 'queued') await delay(20);
await client.cancel(endless.id);
console.log(`the endless count: ${(await client.wait(endless.id)).status}`);

clearInterval(turning);
console.log(`the main thread turned ${turns} times`);
for (const thread of threads) thread.postMessage('stop');
await Promise.all(threads.map((thread) => once(thread, 'exit')));
await client.close();
