// biome-ignore-all lint/suspicious/noExplicitAny: any is what some of these are to be
/** Every way to register a handler, and what its arguments are then known to be. */
import {
  type BatchHandler,
  defineTask,
  type Handler,
  type Task,
  type TaskContext,
  type TypedHandler,
  Worker,
} from '@cairnq/native';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(): T | undefined => undefined;

interface Page {
  url: string;
  depth?: number;
}

const crawl = defineTask<Page, string[]>('page.crawl');
const tick = defineTask<undefined, void>('clock.tick');
const loose = defineTask('anything');

const worker = Worker.sqlite('queue.db', {
  queues: ['default', 'slow'],
  busyTimeoutMs: 100,
  concurrency: 8,
  leaseMs: 5000,
  heartbeatIntervalMs: 1000,
  pollIntervalMs: 100,
  claimBatch: 16,
  retryBackoffMs: 10,
  retryBackoffMaxMs: 1000,
  maxRunMs: 60_000,
  maxInFlightBytes: 1 << 20,
  resources: { gpu: 2 },
  maxQueueDepth: { default: 1000 },
  maxQueueWaitMs: 1000,
  queuePollIntervalMs: 10,
  maxBlockedMs: 0,
  prefetch: 'auto',
  onError: (error, { phase, taskId }) => {
    is<Equal<typeof phase, 'claim' | 'execute'>>();
    is<Equal<typeof taskId, string | undefined>>();
    console.error(error, phase, taskId);
  },
});

// A function under its own name.
async function greet(ctx: TaskContext, payload: { name: string }) {
  await ctx.progress(0.5, 'half');
  return `Hello ${payload.name}`;
}
worker.task(greet).task(async function named() {});

// By name: the payload is the caller's to type, the context is known.
worker.task('by.name', async (ctx, payload) => {
  is<Equal<typeof ctx, TaskContext<any>>>();
  is<Equal<typeof payload, any>>();
  return payload.x;
});
worker.task('by.name', (_ctx, payload: { x: number }) => payload.x + 1);
worker.task('by.name', () => {});
worker.task('by.name', { concurrency: 2, resource: 'gpu' }, async (ctx) => ctx.attempt);
worker.task('by.name', { batch: 32 }, async (contexts) => {
  is<Equal<typeof contexts, TaskContext<any>[]>>();
  return Object.fromEntries(contexts.map((ctx) => [ctx.taskId, ctx.payload]));
});

// By definition: payload and result are checked.
worker.task(crawl, async (ctx, page) => {
  is<Equal<typeof page, Page>>();
  is<Equal<typeof ctx, TaskContext<Page>>>();
  is<Equal<typeof ctx.payload, Page>>();
  return [page.url];
});
worker.task(crawl, (_ctx, { url }) => [url]);
worker.task(crawl, { concurrency: 4 }, async (_ctx, { url }) => [url]);
worker.task(crawl, { batch: 8, resource: 'gpu' }, async (contexts) => {
  is<Equal<typeof contexts, TaskContext<Page>[]>>();
  return { [contexts[0].taskId]: [contexts[0].payload.url] };
});
worker.task(crawl, { batch: 8 }, () => {});
worker.task(tick, () => {});
worker.task(loose, (_ctx, payload) => payload.whatever);

// A definition is any object with a name, such as one that the older SDK made.
worker.task({ name: 'foreign' }, (_ctx, payload) => payload.x);

// Handlers declared apart.
const plain: Handler = async (ctx) => ctx.taskId;
const typed: TypedHandler<Page, string[]> = async (_ctx, { url }) => [url];
const batch: BatchHandler<Page, string[]> = (contexts) => {
  return Object.fromEntries(contexts.map((ctx) => [ctx.taskId, [ctx.payload.url]]));
};
worker.task('plain', plain).task(crawl, typed).task(crawl, { batch: 2 }, batch);

// @ts-expect-error the result is string[]
worker.task(crawl, async () => 5);
// @ts-expect-error there is no such field in the payload
worker.task(crawl, async (_ctx, page) => [page.nothing]);
// @ts-expect-error a batch handler's results are string[]
worker.task(crawl, { batch: 8 }, async () => ({ id: 5 }));
// @ts-expect-error a batch handler gets no payload
worker.task(crawl, { batch: 8 }, async (_contexts, page: Page) => ({ id: [page.url] }));
// @ts-expect-error batch is a number
worker.task('x', { batch: 'many' }, () => {});
// @ts-expect-error there is no handler
worker.task('x', { concurrency: 2 });
// @ts-expect-error there is no such option
worker.task('x', { concurency: 2 }, () => {});
// @ts-expect-error a task needs a name
worker.task({ title: 'x' }, () => {});
// @ts-expect-error 'auto' or a number
Worker.sqlite('queue.db', { prefetch: 'some' });
// @ts-expect-error an option of the other kind of store
Worker.postgres('postgres://host/db', { busyTimeoutMs: 5 });

export async function lifecycles(held: Worker) {
  is<Equal<typeof held.id, string>>();
  is<Equal<typeof held.workerId, string>>();
  await held.run();
  await held.run({ concurrency: 4 });
  await held.serve({ concurrency: 4 });
  const value = await held.background(async (running) => running.id.length);
  is<Equal<typeof value, number>>();
  const plainValue = await held.background(() => 'x', { concurrency: 2 });
  is<Equal<typeof plainValue, string>>();
  held.stop();
  held.stop({ graceMs: 500 });
  await held.close();
  await using disposed = Worker.postgres('postgres://host/db', { max: 4, schema: 'jobs' });
  disposed.task('x', () => {});
}

export async function contexts(ctx: TaskContext<Page>) {
  const settled = await ctx.succeed(['x']);
  is<Equal<typeof settled, Task<Page> | null>>();
  await ctx.fail();
  await ctx.fail('no');
  await ctx.fail(new Error('no'), { retryable: false });
  await ctx.fail({ type: 'Mine', code: 'mine', message: 'no' });
  await ctx.heartbeat();
  await ctx.progress(null, 'only a message');
  const canceled = await ctx.canceled();
  is<Equal<typeof canceled, boolean>>();
  const child = await ctx.submit(crawl, { url: 'x' }, { queue: 'slow' });
  is<Equal<typeof child, Task<Page, string[]>>>();
  const other = await ctx.submit('by.name', { x: 1 }, { key: 'k', conflict: 'replace' });
  is<Equal<typeof other, Task<any, any>>>();
  const done = await ctx.wait(child.id, { timeoutMs: 5, pollMs: 1, maxPollMs: 2 });
  await fetch('https://example.org', { signal: ctx.signal });
  // @ts-expect-error the child's payload is a Page
  await ctx.submit(crawl, { uri: 'x' });
  // @ts-expect-error read only
  ctx.settled = true;
  return [
    done.status,
    ctx.lostLease,
    ctx.cancelRequested,
    ctx.metadata.anything,
    ctx.rootId,
    ctx.correlationId,
  ];
}
