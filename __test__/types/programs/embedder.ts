/** A store driven by hand, as schedulers of one's own do, with the SDK's pieces used one by one. */
import {
  DEFAULT_RETRY_BACKOFF_MAX_MS,
  DEFAULT_RETRY_BACKOFF_MS,
  EventLoopBlocked,
  type FailReason,
  LostLease,
  ProtocolVersionMismatch,
  QueueDepthGate,
  retryDelayMs,
  SerializationError,
  SQLiteStore,
  TaskContext,
  Worker,
} from '@cairnq/native';

export async function drain(path: string, workerId: string) {
  const store = new SQLiteStore(path, { busyTimeoutMs: 500 });
  await store.connect();
  if ((await store.protocolVersion()) !== 1) throw new ProtocolVersionMismatch(2);
  store.gate = new QueueDepthGate(store, { maxQueueDepth: 500, maxQueueWaitMs: null });

  for (;;) {
    const [task] = await store.claim({ queues: ['default'], workerId, leaseMs: 10_000, limit: 1 });
    if (task === undefined) {
      if (await store.claimWake(['default'], 1000)) continue;
      break;
    }
    const ctx = new TaskContext<{ n: number }>(store, task, workerId, 10_000);
    try {
      await ctx.heartbeat();
      await ctx.succeed({ square: ctx.payload.n ** 2 });
    } catch (error) {
      if (error instanceof LostLease) console.log('taken over', error.taskId);
      else await ctx.fail(reason(error));
    }
  }
  await store.close();
}

function reason(error: unknown): FailReason {
  if (error instanceof SerializationError) return { code: 'not_json', message: error.message };
  return error instanceof Error ? error : String(error);
}

export async function repeat(
  store: SQLiteStore,
  taskId: string,
  workerId: string,
  attempt: number,
) {
  const delayMs = retryDelayMs(attempt, DEFAULT_RETRY_BACKOFF_MS, DEFAULT_RETRY_BACKOFF_MAX_MS);
  const soon = retryDelayMs(attempt, 10, 100, () => 0.5);
  await store.fail({ taskId, workerId, error: { code: 'later' }, retryable: true, delayMs });
  return delayMs - soon;
}

export async function watched(store: SQLiteStore) {
  const worker = new Worker(store, ['default'], {
    maxBlockedMs: 2000,
    onError(error, info) {
      if (error instanceof EventLoopBlocked) {
        console.warn(`${error.lateMs} ms late (${error.intervalMs} of ${error.leaseMs} ms)`);
      } else {
        console.error(info.phase, error);
      }
    },
  });
  worker.task(async function square(_ctx, { n }: { n: number }) {
    return n ** 2;
  });
  return await worker.background(async () => (await store.submit({ name: 'square' })).id);
}
