/** Runs tasks in spans that belong to whoever submitted them. */
import { Worker } from '@cairnq/native';
import { trace } from '@opentelemetry/api';
import { measure } from './metrics.js';
import { flush } from './setup.js';
import { inTrace, submitTraced, traceTasks } from './tracing.js';

traceTasks();
const worker = Worker.sqlite(process.env.DATABASE ?? 'tasks.db', { concurrency: 4 });
measure(worker);

const greet = async (ctx, { name }) => {
  trace.getActiveSpan()?.addEvent('greeting');
  // A task that a handler submits belongs to the same trace.
  await submitTraced(ctx, 'log', { name });
  return `Hello, ${name}`;
};
worker.task('greet', inTrace(greet));
worker.task('log', () => null);

await worker.serve();
await flush();
