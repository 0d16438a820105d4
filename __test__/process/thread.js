/** A worker inside a worker_thread whose handlers never end. */
import { parentPort } from 'node:worker_threads';
import { config } from './lines.js';
import { openWorker } from './opened.js';

const worker = openWorker(config.options);
worker.task('held', (ctx) => {
  parentPort.postMessage({ event: 'start', taskId: ctx.taskId, attempt: ctx.attempt });
  return new Promise(() => {});
});
await worker.run();
