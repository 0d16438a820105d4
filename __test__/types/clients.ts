// biome-ignore-all lint/suspicious/noExplicitAny: any is what some of these are to be
/** Submitting, waiting and asking, typed by definitions or by name. */
import {
  CairnQ,
  type CallOptions,
  type ClientOptions,
  type Conflict,
  defineTask,
  isFailed,
  isTerminal,
  type ListInput,
  PostgresStore,
  type PurgeInput,
  QueueDepthGate,
  RetentionSweeper,
  SQLiteStore,
  STATUSES,
  type SubmitInput,
  type SubmitOptions,
  type Task,
  TaskContext,
  type TaskDef,
  TaskError,
  TaskFailed,
  type TaskStatus,
  TaskStore,
  TaskTimeout,
} from '@cairnq/native';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(): T | undefined => undefined;

interface Page {
  url: string;
}

const crawl: TaskDef<Page, string[]> = defineTask<Page, string[]>('page.crawl');
const tick = defineTask<undefined, number>('clock.tick');
const maybe = defineTask<Page | undefined, null>('maybe');
const loose = defineTask('anything');

export async function submits(client: CairnQ) {
  const task = await client.submit(crawl, { url: 'x' });
  is<Equal<typeof task, Task<Page, string[]>>>();
  is<Equal<typeof task.payload, Page>>();
  is<Equal<typeof task.result, string[] | null>>();
  await client.submit(crawl, { url: 'x' }, { priority: 5, runAtDelayMs: 100, key: '' });
  await client.submit(tick);
  await client.submit(tick, null, { queue: 'slow' });
  await client.submit(tick, undefined, { queue: 'slow' });
  await client.submit(maybe);
  await client.submit(maybe, { url: 'x' });
  await client.submit(loose);
  await client.submit(loose, 5);
  await client.submit({ name: 'foreign' }, { x: 1 });
  const named = await client.submit('by.name', { x: 1 }, { maxAttempts: 1, metadata: { a: 1 } });
  is<Equal<typeof named, Task<any, any>>>();
  await client.submit('by.name');
  const options: SubmitOptions = {
    queue: null,
    key: null,
    conflict: null,
    maxAttempts: null,
    priority: null,
    metadata: null,
    parentId: null,
    rootId: null,
    correlationId: null,
    runAtDelayMs: null,
  };
  await client.submit('by.name', 'text', options);
  const inputs: SubmitInput[] = [{ name: 'a' }, { name: crawl, payload: { url: 'x' }, queue: 'q' }];
  const many = await client.submitMany(inputs);
  is<Equal<typeof many, Task<any, any>[]>>();

  // @ts-expect-error a Page is due
  await client.submit(crawl);
  // @ts-expect-error url is a string
  await client.submit(crawl, { url: 5 });
  // @ts-expect-error there is no such strategy
  await client.submit('by.name', {}, { conflict: 'ignore' });
  // @ts-expect-error there is no such option
  await client.submit('by.name', {}, { delay: 5 });
  // @ts-expect-error a wait's option is none of a submit's
  await client.submit('by.name', {}, { waitTimeoutMs: 5 });
}

export async function calls(client: CairnQ) {
  const result = await client.call(crawl, { url: 'x' }, { waitTimeoutMs: 5, maxPollMs: 100 });
  is<Equal<typeof result, string[]>>();
  const count = await client.call(tick);
  is<Equal<typeof count, number>>();
  const anything = await client.call('by.name', { x: 1 });
  is<Equal<typeof anything, any>>();
  const claimed = await client.call<string>('by.name');
  is<Equal<typeof claimed, string>>();
  const options: CallOptions = { waitTimeoutMs: 5, pollMs: 10, queue: 'q', conflict: 'reuse' };
  await client.call('by.name', {}, options);
  // @ts-expect-error url is a string
  await client.call(crawl, { url: 5 });
  try {
    await client.call(crawl, { url: 'x' });
  } catch (error) {
    if (error instanceof TaskFailed) return [error.code, error.type, error.details, error.error];
    if (error instanceof TaskTimeout) return [error.taskId, error.task?.status, error.key];
  }
  return [];
}

export async function asks(client: CairnQ) {
  const task = await client.get('id');
  is<Equal<typeof task, Task<any, any> | null>>();
  const status = await client.getStatus('id');
  is<Equal<typeof status, { id: string; status: TaskStatus } | null>>();
  await client.getByKey('k');
  await client.getStatusByKey('k');
  const filter: ListInput = { status: 'failed', queue: 'q', name: 'n', limit: 10, offset: 5 };
  for (const { error } of await client.list(filter)) console.log(error?.message);
  await client.list();
  const purge: PurgeInput = { olderThanMs: 5, limit: 10, status: 'failed', name: 'n', queue: 'q' };
  const ids = await client.purge(purge);
  is<Equal<typeof ids, string[]>>();
  await client.cancel('id');
  await client.cancelByKey('k');
  await client.retry('id', { resetAttempt: true });
  await client.retryByKey('k');
  const headroom = await client.queueDepth('q', 10);
  is<Equal<typeof headroom, number>>();
  const { queued } = (await client.stats()).default;
  is<Equal<typeof queued, number>>();
  await client.stats('q');
  const done = await client.wait('id', { timeoutMs: 5, pollMs: 1, maxPollMs: 10 });
  await client.waitByKey('k');
  if (isFailed(done)) is<Equal<typeof done.status, 'failed'>>();
  if (isTerminal(done)) is<Equal<typeof done.status, 'succeeded' | 'failed' | 'canceled'>>();
  const first: TaskStatus = STATUSES[0];
  const conflict: Conflict = 'reuse-succeeded';
  await client.close();
  // @ts-expect-error there is no such status
  await client.list({ status: 'done' });
  return [first, conflict];
}

export async function stores() {
  const options: ClientOptions = {
    maxQueueDepth: 100,
    retention: { olderThanMs: { succeeded: 1000, failed: 5000 }, intervalMs: 1000, limit: 10 },
  };
  const client = new CairnQ(new SQLiteStore(':memory:', { busyTimeoutMs: 5 }), options);
  await using other = CairnQ.postgres('postgres://host/db', { max: 5, maxQueueDepth: { q: 5 } });
  const store: TaskStore = new PostgresStore('host=/run', { max: 2, migrate: 'latest' });
  store.useBackpressure(5, { maxQueueWaitMs: 5, queuePollIntervalMs: 5 });
  store.useBackpressure({ q: 5 });
  store.useBackpressure(null);
  await store.submit({ name: 'x', payload: [1], key: 'k', conflict: 'reject' });
  const rows = await store.claim({ queues: ['q'], workerId: 'w', leaseMs: 5, limit: 2, names: [] });
  const drawn = await store.claimSession({ queues: ['q'], workerId: 'w' }, async (draw) => {
    const tasks = await draw(['a', 'b'], 5);
    return tasks.length;
  });
  is<Equal<typeof drawn, number | undefined>>();
  const ctx = new TaskContext(store, rows[0], 'w', 5000, { retryBackoffMs: 0 });
  await ctx.succeed();
  const held = await store.heartbeatBatch({ taskIds: ['t'], workerId: 'w', leaseMs: 5 });
  is<Equal<typeof held, Map<string, boolean>>>();
  await store.heartbeat({ taskId: 't', workerId: 'w' });
  await store.progress({ taskId: 't', workerId: 'w', progress: 0.5, message: null });
  await store.complete({ taskId: 't', workerId: 'w', result: 5 });
  await store.succeed({ taskId: 't', workerId: 'w' });
  await store.fail({ taskId: 't', workerId: 'w', error: { code: 'x' }, delayMs: 5 });
  const woken = await store.claimWake(['q'], 5);
  is<Equal<typeof woken, boolean>>();
  await store.taskDoneWake('t', 5);

  const gate = new QueueDepthGate(store, { maxQueueDepth: 5 });
  is<Equal<ReturnType<typeof gate.limitFor>, number | null>>();
  await gate.acquire('q');
  const sweeper = new RetentionSweeper(store, { olderThanMs: 5, onError: console.error });
  sweeper.start();
  const swept = await sweeper.sweep();
  is<Equal<typeof swept, number>>();
  await sweeper.stop();

  // A store's methods may be replaced, as test doubles do.
  store.complete = async () => rows[0];

  // @ts-expect-error TaskStore is abstract
  new TaskStore();
  // @ts-expect-error a client needs a store
  new CairnQ('queue.db');
  // @ts-expect-error a gate needs a bound
  new QueueDepthGate(store, {});
  // @ts-expect-error only terminal statuses age
  new RetentionSweeper(store, { olderThanMs: { running: 5 } });
  return [client, other];
}

export function errors() {
  const error = new TaskError('no', { code: 'c', retryable: true, type: 'T', details: { a: 1 } });
  const { type, code, message, retryable, details } = error.envelope();
  return [type, code, message, retryable, details.a, new TaskError('no').code];
}
