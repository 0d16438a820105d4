/**
 * A program whose native side panics where CAIRNQ_CRASH_POINT says: it submits tasks, runs them, and starts a second
 * worker when the first one's run() is rejected.
 */
import { config, tell } from './lines.js';
import { openClient, openStore, openWorker } from './opened.js';

const store = openStore();
const client = openClient({}, store);

function run(label) {
  const worker = openWorker(
    {
      leaseMs: config.leaseMs,
      concurrency: config.tasks,
      onError: ({ message }, { phase }) => tell('error', { message, phase }),
    },
    store,
  );
  worker.task('task', async (ctx, ms) => {
    tell('start', { taskId: ctx.taskId, attempt: ctx.attempt, label });
    await new Promise((resolve) => setTimeout(resolve, ms));
    return ms;
  });
  const running = worker.run();
  return { worker, running };
}

const first = run('first');
let second;
first.running.catch(({ message }) => {
  tell('rejected', { message });
  second = run('second');
});

let failed = 0;
for (let n = 0; n < config.tasks; n++) {
  try {
    await client.submit('task', config.ms, { maxAttempts: 10 });
  } catch ({ message }) {
    failed += 1;
    tell('refused', { message });
  }
}
const deadline = Date.now() + config.patienceMs;
let succeeded = 0;
while (succeeded < config.tasks - failed && Date.now() < deadline) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  try {
    succeeded = (await client.stats('default')).default.succeeded;
  } catch ({ message }) {
    tell('refused', { message });
  }
}
tell('outcome', { succeeded, failed });
first.worker.stop();
second?.worker.stop();
await Promise.allSettled([first.running, second?.running]);
await client.close();
tell('closed');
process.exit(0);
