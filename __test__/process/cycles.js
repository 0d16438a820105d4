/** Runs tasks and starts and stops workers over and over, and tells what the process holds as it goes. */
import { holdings } from './holdings.js';
import { config, tell } from './lines.js';
import { openClient, openStore, openWorker } from './opened.js';

const store = openStore();
const client = openClient({}, store);
await client.connect();
let ran = 0;
let reported = 0;

function worker(options) {
  const made = openWorker(
    {
      ...options,
      onError: () => {
        reported += 1;
        throw new Error('onError itself fails');
      },
    },
    store,
  );
  made.task('counted', (_ctx, payload) => {
    ran += 1;
    return payload;
  });
  // A settlement of a task that somebody else has taken away is an error for onError.
  made.task('stolen', async (ctx) => {
    await client.store.fail({ taskId: ctx.taskId, workerId: ctx.workerId, error: {} });
  });
  return made;
}

async function through(tasks) {
  const running = worker({ concurrency: 32, prefetch: 0 });
  const over = running.run();
  const before = ran;
  for (let left = tasks; left > 0; left -= 1000) {
    const batch = Array.from({ length: Math.min(left, 1000) }, (_, n) => ({
      name: 'counted',
      payload: { n, text: 'x'.repeat(200) },
    }));
    await client.submitMany(batch);
    const last = await client.submit('stolen', null, { maxAttempts: 1 });
    await client.wait(last.id, { timeoutMs: 60_000 });
  }
  while (ran - before < tasks) await new Promise((resolve) => setTimeout(resolve, 5));
  running.stop();
  await over;
  while ((await client.purge({ limit: 10_000 })).length > 0);
}

async function cycles(count) {
  for (let n = 0; n < count; n++) {
    const made = worker({});
    const over = made.run();
    await client.submit('counted', n);
    made.stop();
    await over;
  }
}

for (let part = 0; part < config.parts; part++) {
  await through(config.tasks);
  await cycles(config.cycles);
  tell('holdings', { part, ran, reported, ...(await holdings()) });
}
await client.close();
tell('done');
process.exit(0);
