/**
 * A worker in a process of its own. Every name in `config.handlers` gets the behaviour it names there;
 * each start and each end is told, and so is every error.
 */
import { config, listen, tell } from './lines.js';
import { openStore, openWorker } from './opened.js';

const spin = (ms) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let release;
const released = new Promise((resolve) => {
  release = resolve;
});

const behaviours = {
  echo: (_ctx, payload) => payload,
  spin: (_ctx, _payload, ms) => spin(ms),
  /** Blocks the thread on its first attempt only. */
  spinFirst: (ctx, _payload, ms) => {
    if (ctx.attempt === 1) spin(ms);
  },
  /** Never gives the thread back, except on later attempts. */
  hangFirst: (ctx) => {
    while (ctx.attempt === 1);
  },
  wait: (_ctx, _payload, ms) => wait(ms),
  /** Runs until the test sends {release: true}. */
  held: () => released,
  fail: () => {
    throw new Error('on purpose');
  },
  exit: () => process.exit(3),
  crash: () => {
    setImmediate(() => {
      throw new Error('a mistake of the application');
    });
    return new Promise(() => {});
  },
};

const store = openStore(config.storeOptions);
const worker = openWorker(
  {
    ...config.options,
    onError: (error, info) => {
      const { name, message, code, lateMs, intervalMs, leaseMs } = error;
      tell('error', { name, message, code, lateMs, intervalMs, leaseMs, ...info });
    },
  },
  store,
);
for (const [name, [behaviour, argument, options = {}]] of Object.entries(config.handlers)) {
  worker.task(name, options, async (ctx, payload) => {
    tell('start', { taskId: ctx.taskId, attempt: ctx.attempt, name });
    const result = await behaviours[behaviour](ctx, payload, argument);
    tell('end', { taskId: ctx.taskId, attempt: ctx.attempt, name, lost: ctx.lostLease });
    return result;
  });
}

if (config.stdin !== false) {
  listen(async (command) => {
    if (command.release) release();
    if (command.stop) {
      worker.stop(command.options);
      tell('stopping');
    }
  });
}
for (const signal of config.ownSignals ?? []) {
  process.on(signal, () => tell('signal', { signal, by: 'application' }));
}

await store.connect();
tell('ready', { workerId: worker.id });
const running = config.serve ? worker.serve() : worker.run();
tell('running', { listeners: process.listenerCount('SIGTERM') });
await running;
tell('over', { listeners: process.listenerCount('SIGTERM') });
if (!config.serve && config.close !== false) await worker.close();
tell('closed');
// Reading stdin would hold the process; what is under test is whether the worker does.
process.stdin.destroy();
