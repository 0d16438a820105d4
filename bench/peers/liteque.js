import { performance } from 'node:perf_hooks';
import { buildDBClient, Runner, SqliteQueue } from 'liteque';
import { payloadOf } from '../harness/payloads.js';
import { warmUpJobs } from '../harness/warm-up.js';

/** liteque as its README sets it up: WAL and synchronous = NORMAL are its own settings. */
export async function run({ work, path, tasks, concurrency, payloadBytes = 20 }) {
  const db = buildDBClient(path, { runMigrations: true });
  const queue = new SqliteQueue('noop', db, {
    defaultJobArgs: { numRetries: 2 },
    keepFailedJobs: false,
  });
  const payload = payloadOf(payloadBytes);
  await measure(queue, payload, { work, tasks: warmUpJobs(tasks), concurrency });
  return await measure(queue, payload, { work, tasks, concurrency });
}

async function measure(queue, payload, { work, tasks, concurrency }) {
  const filling = performance.now();
  for (let index = 0; index < tasks; index += 1) await queue.enqueue(payload);
  if (work === 'submit') return { oneByOne: (tasks / (performance.now() - filling)) * 1000 };

  const functions = { run: async () => {}, onComplete: async () => {}, onError: async () => {} };
  const runner = new Runner(queue, functions, {
    concurrency,
    pollIntervalMs: 100,
    timeoutSecs: 60,
  });
  const started = performance.now();
  await runner.runUntilEmpty();
  return (tasks / (performance.now() - started)) * 1000;
}
