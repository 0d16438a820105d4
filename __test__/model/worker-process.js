/** A worker whose handlers do what their task's payload says; it writes down when each begins and ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { TaskError } from '@cairnq/native';
import { openLedger } from '../crash/ledger.js';
import { config, listen, tell as say } from '../process/lines.js';
import { openWorker } from '../process/opened.js';

const tell = openLedger(config.ledgers);
const worker = openWorker({ retryBackoffMs: 5, ...config.options });

const behaviours = {
  returns: (_ctx, { n }) => ({ n }),
  waits: async (_ctx, { n }) => {
    await delay(40);
    return { n };
  },
  throws: () => {
    throw new Error('on purpose');
  },
  throwsForGood: () => {
    throw new TaskError('for good', { code: 'for_good' });
  },
  timesOut: () => new Promise(() => {}),
  blocks: (_ctx, { n }) => {
    const end = performance.now() + 120;
    while (performance.now() < end);
    return { n };
  },
  settlesItself: async (ctx, { n }) => {
    await ctx.progress(0.5, 'half way');
    await ctx.succeed({ n });
  },
  failsItself: (ctx) => ctx.fail({ code: 'itself' }, { retryable: false }),
};

for (const [name, behaviour] of Object.entries(behaviours)) {
  worker.task(name, async (ctx, payload) => {
    const run = { id: ctx.taskId, attempt: ctx.attempt };
    tell('start', run);
    ctx.signal.addEventListener('abort', () => tell('end', run));
    try {
      return await behaviour(ctx, payload);
    } finally {
      tell('end', run);
    }
  });
}

const running = worker.run();
listen(async ({ stop }) => {
  worker.stop(stop);
  await running;
  await worker.close();
  process.exit(0);
});
say('running');
