/** A service's tests: errors made by hand, and a store whose operations are replaced or counted. */
import {
  AlreadyExists,
  CairnQ,
  type CairnQError,
  EventLoopBlocked,
  LostLease,
  type Owner,
  QueueFull,
  SerializationError,
  SQLiteStore,
  type Stats,
  type Task,
  TaskCanceled,
  TaskError,
  TaskFailed,
  type TaskStatusInfo,
  type TaskStore,
  TaskTimeout,
} from '@cairnq/native';

export const failures: CairnQError[] = [
  new AlreadyExists('invoice-7'),
  new QueueFull('default', 1000, 30_000),
  new TaskTimeout('task_1'),
  new TaskTimeout('task_1', { timeoutMs: 5000, task: null, key: 'invoice-7' }),
  new TaskFailed({ code: 'handler_error', message: 'no', retryable: false }),
  new TaskFailed(null),
  new TaskCanceled('task_1'),
  new TaskError('no'),
  new LostLease('task_1'),
  new EventLoopBlocked(7000, 10_000, 30_000),
  new SerializationError('payload is no JSON', { cause: new TypeError('a BigInt') }),
];

export class Spied {
  readonly store = new SQLiteStore(':memory:');
  readonly submitted: string[] = [];
  readonly owners: Owner[] = [];

  constructor() {
    const { store } = this;
    const submit = store.submit.bind(store);
    store.submit = (input) => {
      this.submitted.push(typeof input.name === 'string' ? input.name : input.name.name);
      return submit(input);
    };
    store.succeed = async (input) => {
      this.owners.push({ taskId: input.taskId, workerId: input.workerId });
      return await store.complete(input);
    };
    store.cancel = async () => null;
  }

  async client(): Promise<CairnQ> {
    const client = new CairnQ(this.store);
    await client.connect();
    return client;
  }
}

/** Everything a client asks can be asked of a store too. */
export async function inspect(store: TaskStore, ids: string[]) {
  const found: (Task | null)[] = [];
  const statuses: (TaskStatusInfo | null)[] = [];
  for (const id of ids) {
    found.push(await store.get(id), await store.getByKey(id));
    statuses.push(await store.getStatus(id), await store.getStatusByKey(id));
    await store.cancel(id);
    await store.cancelByKey(id);
    await store.retry(id, { resetAttempt: false });
    await store.retryByKey(id);
  }
  const batch = await store.submitMany(ids.map((name) => ({ name, payload: { name } })));
  const listed = await store.list({ rootId: batch[0]?.root_id, correlationId: null });
  const counts: Stats = await store.stats();
  const depth = (await store.queueDepth('default', 100)) + (counts.default?.queued ?? 0);
  const purged = await store.purge({ status: 'succeeded', queue: 'default' });
  return { found, statuses, listed, depth, purged, open: store.gate?.limitFor('default') ?? null };
}
