/** An application's settings, made in one place and typed with the names of the options they become. */
import {
  type BackpressureOptions,
  type BatchTaskOptions,
  type CairnQ,
  type ClaimDraw,
  type ClaimInput,
  type ClaimSessionInput,
  type ErrorEnvelope,
  type ErrorInfo,
  type ErrorPhase,
  type PayloadArgs,
  type PlainTaskOptions,
  type PostgresStoreOptions,
  type PostgresWorkerOptions,
  type QueueDepthLimit,
  type RetentionOptions,
  type RetryOptions,
  type RunOptions,
  type SQLiteStoreOptions,
  type SQLiteWorkerOptions,
  type StopOptions,
  type StoreOptions,
  type SubmitOptions,
  type Task,
  TaskContext,
  type TaskContextOptions,
  type TaskDef,
  type TaskOptions,
  type TaskStore,
  type TerminalStatus,
  type WaitOptions,
  Worker,
  type WorkerOptions,
} from '@cairnq/native';

const depth: QueueDepthLimit = { default: 1000, mail: 200 };
const backpressure: BackpressureOptions = { maxQueueDepth: depth, maxQueueWaitMs: 1000 };
const keepMs: Partial<Record<TerminalStatus, number | null>> = { succeeded: 1000, failed: null };
export const retention: RetentionOptions = { olderThanMs: keepMs, intervalMs: 60_000 };

const opened: StoreOptions = { migrate: null };
const sqlite: SQLiteStoreOptions = { ...opened, busyTimeoutMs: 5000 };
const postgres: PostgresStoreOptions = { ...opened, max: 4, schema: 'jobs', pooler: true };

const report = (phase: ErrorPhase, text: string) => console.error(phase, text);
const shared: WorkerOptions = {
  ...backpressure,
  concurrency: 8,
  resources: { gpu: 1 },
  onError: (error, info: ErrorInfo) => report(info.phase, `${info.taskId}: ${error}`),
};
const onFile: SQLiteWorkerOptions = { ...shared, ...sqlite, queues: ['default'] };
const onServer: PostgresWorkerOptions = { ...shared, ...postgres, queues: null };

const once: TaskOptions = { concurrency: 1 };
const plain: PlainTaskOptions = { ...once, batch: null };
const batched: BatchTaskOptions = { resource: 'gpu', batch: 64 };

export async function start(dsn: string | undefined) {
  const worker = dsn ? Worker.postgres(dsn, onServer) : Worker.sqlite('jobs.db', onFile);
  worker.task('plain', plain, () => 1).task('batched', batched, () => null);
  const run: RunOptions = { concurrency: 2 };
  const stop: StopOptions = { graceMs: 5000 };
  const running = worker.run(run);
  worker.stop(stop);
  await running;
}

/** A wrapper that leaves it to the definition whether there must be a payload. */
export function later<P, R>(client: CairnQ, task: TaskDef<P, R>) {
  return (...rest: PayloadArgs<P, SubmitOptions>) => client.submit(task, ...rest);
}

export async function settled(client: CairnQ, id: string): Promise<ErrorEnvelope | null> {
  const patience: WaitOptions = { timeoutMs: 60_000, pollMs: 50, maxPollMs: 1000 };
  const again: RetryOptions = { resetAttempt: true };
  const task = await client.wait(id, patience);
  return task.error?.retryable ? ((await client.retry(id, again))?.error ?? null) : task.error;
}

export async function claimed(store: TaskStore, workerId: string): Promise<Task[]> {
  const session: ClaimSessionInput = { queues: ['default'], workerId, names: ['plain'] };
  const plan = (draw: ClaimDraw) => draw(['plain'], 10);
  const input: ClaimInput = { ...session, limit: 5 };
  return (await store.claimSession(session, plan)) ?? (await store.claim(input));
}

export function contextOf(store: TaskStore, task: Task<{ n: number }>): TaskContext<{ n: number }> {
  const backoff: TaskContextOptions = { retryBackoffMs: 10, retryBackoffMaxMs: 1000 };
  return new TaskContext(store, task, 'worker_1', 30_000, backoff);
}
