/**
 * An Express server with its worker in the same process. A request submits and is answered with 202 at once; the work
 * is done beside it, survives a restart of the server, and can be asked about and canceled. Server and worker share one
 * store, so a submit wakes the worker without a detour. On SIGTERM the server stops taking requests, the worker finishes
 * what it has begun (for at most ten seconds), and the process ends by itself.
 *
 * node examples/express/server.js
 */
import { once } from 'node:events';
import { CairnQ, SQLiteStore, Worker } from '@cairnq/native';
import { createApp } from './app.js';
import { buildReport } from './report.js';

const store = new SQLiteStore(process.env.DATABASE ?? 'reports.db');
const client = new CairnQ(store, { maxQueueDepth: 10_000, maxQueueWaitMs: 2000 });
const worker = new Worker(store, ['default'], {
  concurrency: 4,
  onError: (error, { phase, taskId }) => console.error(phase, taskId, error),
});
worker.task('report.build', buildReport);

const working = worker.run();
const server = createApp(client).listen(process.env.PORT ?? 3000);
await once(server, 'listening');
console.log(`listening on ${server.address().port}`);

process.once('SIGTERM', () => {
  server.close();
  server.closeIdleConnections();
  worker.stop({ graceMs: 10_000 });
});
await Promise.all([working, once(server, 'close')]);
await client.close();
console.log('ended');
