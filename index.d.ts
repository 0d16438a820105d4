// biome-ignore-all lint/suspicious/noExplicitAny: payloads and results of tasks named by a string are the caller's to type, as in cairnq 0.6
// biome-ignore-all lint/suspicious/noConfusingVoidType: a handler may return nothing
// Symbol.asyncDispose, for whoever compiles with an older library and without the types of Node.
/// <reference lib="esnext.disposable" />

/**
 * A durable task queue on SQLite or Postgres.
 *
 * Durations are milliseconds. Wherever an option may be left out, `null` and `undefined` both mean
 * its default. Arguments out of range reject (or, in a constructor, throw) with a plain `Error` whose
 * message names the argument and the value; a database error rejects with an `Error` that keeps the
 * driver's `code`, such as `SQLITE_BUSY` or `25006`.
 *
 * @packageDocumentation
 */

// ---------------------------------------------------------------------------------------------------
// Tasks

/** Where a task stands. The last three are terminal. */
export type TaskStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled';

/** The statuses a task ends in. */
export type TerminalStatus = 'succeeded' | 'failed' | 'canceled';

/** What a failed attempt left behind; stored in the task's `error` column. */
export interface ErrorEnvelope {
  /** Class of the error, such as `TypeError` or `HandlerTimeout`. */
  type: string;
  /** Machine-readable reason, such as `handler_error` or `lease_expired`. */
  code: string;
  message: string;
  /** Whether the attempt that failed so could be retried. */
  retryable: boolean;
  details: Record<string, any>;
}

/**
 * A task as the database holds it: the row's columns, JSON columns decoded. A plain object; changing
 * it changes nothing.
 */
export interface Task<P = any, R = any> {
  /** `task_` and 26 characters that sort by time. */
  id: string;
  /** Which handler runs it. */
  name: string;
  queue: string;
  status: TaskStatus;
  payload: P;
  /** What the handler returned; null until it succeeded, or when it returned nothing. */
  result: R | null;
  /** How the latest failed attempt ended. A later success leaves it in place. */
  error: ErrorEnvelope | null;
  metadata: Record<string, any>;
  /** Last reported progress; 1 once succeeded. */
  progress: number | null;
  message: string | null;
  /** Attempts begun so far. */
  attempt: number;
  max_attempts: number;
  /** Higher runs first. */
  priority: number;
  /** The worker that runs it, or ran it last. */
  worker_id: string | null;
  /** Until when the worker holds it, in ms since 1970; set exactly while running. */
  lease_until_ms: number | null;
  /** When it is due, in ms since 1970. */
  run_at_ms: number;
  /** When a cancel of the running task was asked for, in ms since 1970. */
  cancel_requested_at_ms: number | null;
  parent_id: string | null;
  /** The task at the top of its family; its own id when it is that task. */
  root_id: string | null;
  correlation_id: string | null;
  created_at_ms: number;
  updated_at_ms: number;
  completed_at_ms: number | null;
}

/** Id and status alone, for callers that poll. */
export interface TaskStatusInfo {
  id: string;
  status: TaskStatus;
}

declare const types: unique symbol;

/**
 * A kind of task: its name, and in the types its payload `P` and result `R`, which then flow through
 * `task()`, `submit()` and `call()`. Made by {@link defineTask}; any object with a string `name` will
 * do.
 */
export interface TaskDef<P = any, R = any> {
  readonly name: string;
  /** Exists in the types only. */
  readonly [types]?: { payload: P; result: R };
}

/**
 * Names a kind of task once, for the code that submits it and the code that runs it.
 *
 * @example
 * const summarize = defineTask<{ url: string }, string>('summary.create');
 * worker.task(summarize, async (ctx, { url }) => summaryOf(url));
 * const text = await client.call(summarize, { url: 'https://example.org' });
 */
export declare function defineTask<P = any, R = any>(name: string): TaskDef<P, R>;

/** All five statuses: queued, running, succeeded, failed, canceled. */
export declare const STATUSES: readonly TaskStatus[];

/** Whether the task has ended, in whatever way. */
export declare function isTerminal<T extends { status: TaskStatus }>(
  task: T,
): task is T & { status: TerminalStatus };

/** Whether a status is one a task ends in. */
export declare function isTerminalStatus(status: string): status is TerminalStatus;

/** Whether a cancel of the running task was asked for. */
export declare function cancelRequested(task: Pick<Task, 'cancel_requested_at_ms'>): boolean;

export declare function isQueued<T extends { status: TaskStatus }>(
  task: T,
): task is T & { status: 'queued' };
export declare function isRunning<T extends { status: TaskStatus }>(
  task: T,
): task is T & { status: 'running' };
export declare function isSucceeded<T extends { status: TaskStatus }>(
  task: T,
): task is T & { status: 'succeeded' };
export declare function isFailed<T extends { status: TaskStatus }>(
  task: T,
): task is T & { status: 'failed' };
export declare function isCanceled<T extends { status: TaskStatus }>(
  task: T,
): task is T & { status: 'canceled' };

// ---------------------------------------------------------------------------------------------------
// Submitting

/**
 * What a keyed submit does when its key is taken:
 * - `reuse` returns the existing task while it is queued or running, else submits anew
 * - `reuse-succeeded` returns it also once it succeeded
 * - `reject` throws {@link AlreadyExists} whatever its status
 * - `replace` cancels it if it is live and submits anew
 */
export type Conflict = 'reuse' | 'reuse-succeeded' | 'reject' | 'replace';

/** Options of a submit. */
export interface SubmitOptions {
  /** @default 'default' */
  queue?: string | null;
  /** At most one live task has a given key. `''` is a key like any other. @default none */
  key?: string | null;
  /** @default 'reuse' */
  conflict?: Conflict | null;
  /** Attempts before the task fails for good; an integer >= 1. @default 3 */
  maxAttempts?: number | null;
  /** An integer; higher runs first. @default 0 */
  priority?: number | null;
  /** Any JSON object, stored with the task and handed to the handler. @default {} */
  metadata?: Record<string, any> | null;
  /** @default none; the submitting task's id for `ctx.submit` */
  parentId?: string | null;
  /** @default the task's own id; the submitting task's root for `ctx.submit` */
  rootId?: string | null;
  /** @default none; the submitting task's for `ctx.submit` */
  correlationId?: string | null;
  /** Whole milliseconds from now until the task is due; >= 0. @default 0 */
  runAtDelayMs?: number | null;
}

/** One task of {@link TaskStore.submit} or `submitMany`. */
export interface SubmitInput<P = any> extends SubmitOptions {
  name: string | TaskDef<P, any>;
  /** Any JSON value. @default {} */
  payload?: P | null;
}

/** Options of a wait. */
export interface WaitOptions {
  /** How long to wait; 0 or less reads once. `Infinity` waits for ever. @default 30000 */
  timeoutMs?: number | null;
  /**
   * First interval of the fallback polls, which grow by half each time. A wait is normally woken
   * within milliseconds of the task's end. @default 100
   */
  pollMs?: number | null;
  /** Longest interval of the fallback polls. @default 500 */
  maxPollMs?: number | null;
}

/** Options of {@link CairnQ.call}: those of the submit, and of the wait. */
export interface CallOptions extends SubmitOptions {
  /** How long to wait for the result. @default 30000 */
  waitTimeoutMs?: number | null;
  /** @default 100 */
  pollMs?: number | null;
  /** @default 500 */
  maxPollMs?: number | null;
}

/** What follows the task in `submit` and `call`: the payload may be left out when `P` allows it. */
export type PayloadArgs<P, O> = undefined extends P
  ? [payload?: P | null, options?: O | null]
  : [payload: P, options?: O | null];

// ---------------------------------------------------------------------------------------------------
// Queries

/** Filters of `list`; each left out matches everything. Newest first. */
export interface ListInput {
  status?: TaskStatus | null;
  queue?: string | null;
  name?: string | null;
  rootId?: string | null;
  correlationId?: string | null;
  /** >= 0. @default 100 */
  limit?: number | null;
  /** >= 0. @default 0 */
  offset?: number | null;
}

/** What `purge` deletes: tasks that ended long enough ago, the oldest first. */
export interface PurgeInput {
  /** Ended more than this long ago; >= 0. @default 0 */
  olderThanMs?: number | null;
  /** At most this many; >= 1. @default 1000 */
  limit?: number | null;
  status?: TaskStatus | null;
  name?: string | null;
  queue?: string | null;
}

export interface RetryOptions {
  /** Starts counting attempts from 0 again. @default false */
  resetAttempt?: boolean;
}

/** Counts by queue, every status present. */
export type Stats = Record<string, Record<TaskStatus, number>>;

// ---------------------------------------------------------------------------------------------------
// Backpressure and retention

/**
 * How many queued tasks a queue may hold before submits wait: one number for every queue, or a record
 * with a number for each queue that is to be bounded. Integers >= 1.
 */
export type QueueDepthLimit = number | Record<string, number>;

export interface BackpressureOptions {
  /** @default no bound */
  maxQueueDepth?: QueueDepthLimit | null;
  /** How long a submit waits for room before it rejects with {@link QueueFull}; >= 0. @default 600000 */
  maxQueueWaitMs?: number | null;
  /** First interval at which a full queue is looked at again; doubles up to 5000. @default 250 */
  queuePollIntervalMs?: number | null;
}

/** Holds submits back while their queue is too deep. */
export declare class QueueDepthGate {
  /** @throws Error `maxQueueDepth for Q must be an integer >= 1, got N` */
  constructor(
    store: Pick<TaskStore, 'queueDepth'>,
    options: BackpressureOptions & { maxQueueDepth: QueueDepthLimit },
  );
  /** The bound of a queue; null when it has none. */
  limitFor(queue: string): number | null;
  /**
   * Resolves once `count` tasks (default 1) may be enqueued.
   *
   * @throws {@link QueueFull} after `maxQueueWaitMs`
   */
  acquire(queue: string, count?: number): Promise<void>;
}

export interface RetentionOptions {
  /**
   * Age, since their end, at which tasks are deleted; >= 0. As a record, an age for each terminal
   * status, those left out being kept.
   */
  olderThanMs: number | Partial<Record<TerminalStatus, number | null>>;
  /** Time between sweeps; >= 1. The first comes one interval after the start. @default 3600000 */
  intervalMs?: number | null;
  /** Tasks deleted per statement; an integer >= 1. @default 1000 */
  limit?: number | null;
  /** Gets the errors of scheduled sweeps; the schedule goes on. */
  onError?: ((error: any) => unknown) | null;
}

/** Deletes old finished tasks on a schedule, without keeping the process alive. */
export declare class RetentionSweeper {
  /** @throws Error `retention.olderThanMs must be >= 0, got N`, `retention.intervalMs must be >= 1, got N` */
  constructor(store: Pick<TaskStore, 'purge'>, options: RetentionOptions);
  /** Begins the schedule. Does nothing when it runs already. */
  start(): void;
  /** Ends the schedule; resolves when no sweep is under way any more. */
  stop(): Promise<void>;
  /** Sweeps now and resolves to the number of tasks deleted. */
  sweep(): Promise<number>;
}

// ---------------------------------------------------------------------------------------------------
// Stores

/** Options that both kinds of store share. */
export interface StoreOptions {
  /**
   * `'latest'` brings the database to the newest schema on opening, a number from 6 to 10 to that level.
   * `'never'` opens a database as it is, and rejects when there is none. Without it a fresh database gets
   * the schema that cairnq 0.6 works with, and an existing one is left at its level.
   */
  migrate?: 'latest' | 'never' | number | null;
}

export interface SQLiteStoreOptions extends StoreOptions {
  /** How long a write waits for another process's lock; then `SQLITE_BUSY`. @default 5000 */
  busyTimeoutMs?: number | null;
}

export interface PostgresStoreOptions extends StoreOptions {
  /** Connections in the pool; an integer >= 1. @default 10 */
  max?: number | null;
  /** The schema that holds the tables. @default that of the connection's search_path */
  schema?: string | null;
  /**
   * The server is behind a pooler that hands out a connection per transaction, such as pgbouncer in transaction mode: no
   * prepared statement outlives a transaction and nothing listens, so that workers poll. The DSN parameter
   * `pgbouncer=true` says the same. @default false
   */
  pooler?: boolean | null;
}

/** Who owns a running task. */
export interface Owner {
  taskId: string;
  workerId: string;
}

export interface ClaimSessionInput {
  queues: readonly string[];
  workerId: string;
  /** > 0. @default 30000 */
  leaseMs?: number | null;
  /** Only tasks of these names; left out, of any name; empty, none. */
  names?: readonly string[] | null;
}

export interface ClaimInput extends ClaimSessionInput {
  /** @default 1 */
  limit?: number | null;
}

/**
 * Claims up to `limit` tasks of these names, as far as they are among the names that the session was
 * opened for; `[]` at once for no names or a limit below 1.
 */
export type ClaimDraw = (names: readonly string[], limit: number) => Promise<Task[]>;

/**
 * Every operation of the queue on one database. Opened by the first use, however many uses begin at
 * once; usable again after `close()`.
 *
 * Abstract: make a {@link SQLiteStore} or a {@link PostgresStore}.
 *
 * Each method may reject with a database error, and with {@link ProtocolVersionMismatch} when the
 * database speaks another protocol.
 */
export declare abstract class TaskStore {
  protected constructor();

  /** The gate that `useBackpressure` installed. */
  gate: QueueDepthGate | null;

  /** Opens the database now instead of at the first use. */
  connect(): Promise<void>;
  /** Lets accepted writes finish, then closes. Submits held back by the gate reject. */
  close(): Promise<void>;
  /** The protocol version the database speaks. */
  protocolVersion(): Promise<number>;
  /** Holds submits back by queue depth from now on; null lifts it. */
  useBackpressure(
    maxQueueDepth: QueueDepthLimit | null,
    options?: Omit<BackpressureOptions, 'maxQueueDepth'>,
  ): void;

  /**
   * Writes a task, or returns the one its key leads to.
   *
   * @throws {@link SerializationError} when payload or metadata are not JSON
   * @throws {@link AlreadyExists} with `conflict: 'reject'`
   * @throws {@link QueueFull} when the gate let nothing through in time
   */
  submit<P = any>(input: SubmitInput<P>): Promise<Task<P>>;
  /** Writes any number of tasks in one transaction: all or none. */
  submitMany(inputs: readonly SubmitInput[]): Promise<Task[]>;
  get(id: string): Promise<Task | null>;
  getByKey(key: string): Promise<Task | null>;
  getStatus(id: string): Promise<TaskStatusInfo | null>;
  getStatusByKey(key: string): Promise<TaskStatusInfo | null>;
  list(input?: ListInput): Promise<Task[]>;
  /**
   * Cancels a queued task, or asks the handler of a running one to stop. Null when there is no such
   * task or it has ended.
   */
  cancel(id: string): Promise<Task | null>;
  cancelByKey(key: string): Promise<Task | null>;
  /** Queues a failed or canceled task again; null when it is neither. */
  retry(id: string, options?: RetryOptions): Promise<Task | null>;
  retryByKey(key: string, options?: RetryOptions): Promise<Task | null>;
  /** Deletes finished tasks and their keys; resolves to the ids. */
  purge(input?: PurgeInput): Promise<string[]>;
  /** Counts by queue and status: of every queue that has tasks, or of the named one. */
  stats(queue?: string | null): Promise<Stats>;
  /** How many more tasks the queue may take before it holds `maxDepth` queued ones; >= 0. */
  queueDepth(queue: string, maxDepth: number): Promise<number>;

  /** Hands expired leases back, then claims due tasks in the order in which they are to start. */
  claim(input: ClaimInput): Promise<Task[]>;
  /**
   * One transaction of several claims. Resolves to what `plan` returned; to undefined, without
   * calling it, when nothing is due and no lease has expired. A throw of `plan` rolls back.
   */
  claimSession<T>(
    input: ClaimSessionInput,
    plan: (draw: ClaimDraw) => T | Promise<T>,
  ): Promise<T | undefined>;
  /** Renews the lease. @throws {@link LostLease} */
  heartbeat(input: Owner & { leaseMs?: number | null }): Promise<Task>;
  /** Renews many: those still owned, each with whether its cancel was asked for. */
  heartbeatBatch(input: {
    taskIds: readonly string[];
    workerId: string;
    leaseMs?: number | null;
  }): Promise<Map<string, boolean>>;
  /** Writes progress and message, each unless null. @throws {@link LostLease} */
  progress(input: Owner & { progress?: number | null; message?: string | null }): Promise<Task>;
  /** Ends the task as succeeded, even when its cancel was asked for. @throws {@link LostLease} */
  succeed(input: Owner & { result?: unknown; message?: string | null }): Promise<Task>;
  /** Ends the task as succeeded, or as canceled when that was asked for. @throws {@link LostLease} */
  complete(input: Owner & { result?: unknown; message?: string | null }): Promise<Task>;
  /**
   * Ends the attempt as failed; the task is queued again in `delayMs` (default 0) when `retryable`
   * (default true) and attempts are left. @throws {@link LostLease}
   */
  fail(
    input: Owner & { error: unknown; retryable?: boolean; delayMs?: number | null },
  ): Promise<Task>;
  /** Resolves to true when one of the queues may have work, to false after `ms`. */
  claimWake(queues: readonly string[], ms: number): Promise<boolean>;
  /** Resolves to true when the task ends, to false after `ms`. */
  taskDoneWake(id: string, ms: number): Promise<boolean>;

  [Symbol.asyncDispose](): Promise<void>;
}

/** A store on one SQLite file, shared by all processes of one host. */
export declare class SQLiteStore extends TaskStore {
  /**
   * @param path a file path, a `file:` URI or URL, or `:memory:` for a database of this store alone
   */
  constructor(path: string | URL, options?: SQLiteStoreOptions);
}

/** A store on one Postgres database, shared by many hosts. */
export declare class PostgresStore extends TaskStore {
  /** @param dsn a `postgres://` URL or libpq's `key=value` form; `PG*` variables fill the gaps */
  constructor(dsn: string, options?: PostgresStoreOptions);
}

// ---------------------------------------------------------------------------------------------------
// Client

export interface ClientOptions extends BackpressureOptions {
  /** Deletes old finished tasks while this client is open. */
  retention?: RetentionOptions | null;
}

/** Submits tasks, looks after them, and waits for their results. */
export declare class CairnQ {
  constructor(store: TaskStore, options?: ClientOptions);
  static sqlite(path: string | URL, options?: ClientOptions & SQLiteStoreOptions): CairnQ;
  static postgres(dsn: string, options?: ClientOptions & PostgresStoreOptions): CairnQ;

  readonly store: TaskStore;

  /** Opens the database now instead of at the first use. */
  connect(): Promise<void>;
  /** Stops retention, lets accepted writes finish, and closes the store. */
  close(): Promise<void>;

  /** Writes a task, or returns the one its key leads to. See {@link TaskStore.submit} for errors. */
  submit<P, R>(
    task: TaskDef<P, R>,
    payload: P,
    options?: SubmitOptions | null,
  ): Promise<Task<P, R>>;
  submit<P = any, R = any>(
    task: TaskDef<P, R>,
    ...rest: PayloadArgs<P, SubmitOptions>
  ): Promise<Task<P, R>>;
  submit(name: string, payload?: any, options?: SubmitOptions | null): Promise<Task>;
  /** Writes any number of tasks in one transaction: all or none. */
  submitMany(inputs: readonly SubmitInput[]): Promise<Task[]>;

  /**
   * Submits a task and waits for its result.
   *
   * @throws {@link TaskFailed}, {@link TaskCanceled}
   * @throws {@link TaskTimeout} after `waitTimeoutMs`; the task goes on
   */
  call<P, R>(task: TaskDef<P, R>, payload: P, options?: CallOptions | null): Promise<R>;
  call<P = any, R = any>(task: TaskDef<P, R>, ...rest: PayloadArgs<P, CallOptions>): Promise<R>;
  call<R = any>(name: string, payload?: any, options?: CallOptions | null): Promise<R>;

  /**
   * Waits until the task has ended, in whatever status.
   *
   * @throws {@link TaskTimeout}
   */
  wait(id: string, options?: WaitOptions | null): Promise<Task>;
  /** The same for whichever task has the key, which may come to exist, or be replaced, meanwhile. */
  waitByKey(key: string, options?: WaitOptions | null): Promise<Task>;

  get(id: string): Promise<Task | null>;
  getByKey(key: string): Promise<Task | null>;
  getStatus(id: string): Promise<TaskStatusInfo | null>;
  getStatusByKey(key: string): Promise<TaskStatusInfo | null>;
  list(input?: ListInput): Promise<Task[]>;
  cancel(id: string): Promise<Task | null>;
  cancelByKey(key: string): Promise<Task | null>;
  retry(id: string, options?: RetryOptions): Promise<Task | null>;
  retryByKey(key: string, options?: RetryOptions): Promise<Task | null>;
  purge(input?: PurgeInput): Promise<string[]>;
  stats(queue?: string | null): Promise<Stats>;
  queueDepth(queue: string, maxDepth: number): Promise<number>;

  [Symbol.asyncDispose](): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------
// Worker

/** Runs one task. What it returns is the result; what it throws fails the attempt. */
export type Handler<P = any, R = any> = (
  ctx: TaskContext<P>,
  payload: P,
) => R | Promise<R> | void | Promise<void>;

/** A handler whose payload and result a {@link TaskDef} gives. */
export type TypedHandler<P, R> = (ctx: TaskContext<P>, payload: P) => R | Promise<R>;

/**
 * Runs several tasks of one name in one call. It may return an object of results by task id; a task
 * without one succeeds with null. What it throws fails all that it has not settled.
 */
export type BatchHandler<P = any, R = any> = (
  contexts: TaskContext<P>[],
) => Record<string, R> | void | null | Promise<Record<string, R> | void | null>;

/** What a worker was doing when it met an error. */
export type ErrorPhase = 'claim' | 'execute';

export interface ErrorInfo {
  phase: ErrorPhase;
  /** The task it concerns, where there is one. */
  taskId?: string;
}

export interface TaskOptions {
  /** Handler calls of this name at once; an integer >= 1. @default unbounded */
  concurrency?: number | null;
  /** One of `WorkerOptions.resources`, of which each call takes a unit. @default none */
  resource?: string | null;
}

export interface BatchTaskOptions extends TaskOptions {
  /** Tasks per call at most, an integer >= 1; the handler then gets an array of contexts. */
  batch: number;
}

export interface PlainTaskOptions extends TaskOptions {
  batch?: null;
}

export interface WorkerOptions extends BackpressureOptions {
  /**
   * Handler calls at once, a batch counting as one. Below 1 counts as 1; a fraction is floored; NaN
   * and Infinity are refused. @default 1
   */
  concurrency?: number | null;
  /** How long a task is held without a sign of life; > 0. @default 30000 */
  leaseMs?: number | null;
  /** Time between renewals of the leases; > 0. @default max(50, floor(leaseMs / 3)) */
  heartbeatIntervalMs?: number | null;
  /** Longest idle sleep; work normally wakes the worker within milliseconds. @default 500 */
  pollIntervalMs?: number | null;
  /** Rows per draw from the database at most. @default what the free slots can take */
  claimBatch?: number | null;
  /** Delay after a first failed attempt; doubles with each, its upper half random. @default 1000 */
  retryBackoffMs?: number | null;
  /** @default 30000 */
  retryBackoffMaxMs?: number | null;
  /** A call that runs longer is abandoned, its tasks failing as `handler_timeout`; > 0. @default none */
  maxRunMs?: number | null;
  /** Payload bytes in flight at most; > 0. A larger payload runs alone. @default none */
  maxInFlightBytes?: number | null;
  /** Units of each named resource that handlers may share; integers >= 1. @default none */
  resources?: Record<string, number> | null;
  /** Told of errors that no caller awaits. What it throws, or rejects with, is swallowed. */
  onError?: ((error: any, info: ErrorInfo) => unknown) | null;
  /**
   * How long leases are renewed without a sign of life from a blocked JavaScript thread; 0 for no
   * limit. @default 600000
   */
  maxBlockedMs?: number | null;
  /**
   * Tasks claimed ahead so that a freed slot starts one at once: an integer >= 0, or `'auto'`, which
   * holds only what short handlers use up within some 10 ms. @default 'auto'
   */
  prefetch?: 'auto' | number | null;
}

export interface SQLiteWorkerOptions extends WorkerOptions, SQLiteStoreOptions {
  /** @default ['default'] */
  queues?: readonly string[] | null;
}

export interface PostgresWorkerOptions extends WorkerOptions, PostgresStoreOptions {
  /** @default ['default'] */
  queues?: readonly string[] | null;
}

export interface RunOptions {
  /** In place of the worker's own. */
  concurrency?: number | null;
}

export interface StopOptions {
  /** After this long, what still runs is abandoned and handed back; >= 0. @default never */
  graceMs?: number | null;
}

/**
 * Runs handlers for the tasks of its queues.
 *
 * @example
 * const worker = Worker.sqlite('queue.db', { concurrency: 8 });
 * worker.task('greet', async (ctx, { name }) => `Hello ${name}`);
 * await worker.serve();
 */
export declare class Worker {
  constructor(store: TaskStore, queues?: readonly string[], options?: WorkerOptions);
  /** A worker with a store of its own, which `serve()` and `background()` close at their end. */
  static sqlite(path: string | URL, options?: SQLiteWorkerOptions): Worker;
  static postgres(dsn: string, options?: PostgresWorkerOptions): Worker;

  readonly store: TaskStore;
  /** `worker_` and 26 characters; what `worker_id` of its tasks says. */
  readonly id: string;
  /** The same as `id`. */
  readonly workerId: string;

  /**
   * Registers a handler; registering a name again replaces it. While the worker runs it takes effect
   * at the next claim.
   *
   * @throws Error when an option is out of range, a resource is not declared, or there is no function
   */
  task<P = any, R = any>(
    task: TaskDef<P, R>,
    options: BatchTaskOptions,
    handler: BatchHandler<P, R>,
  ): this;
  task<P = any, R = any>(
    task: TaskDef<P, R>,
    options: PlainTaskOptions,
    handler: TypedHandler<P, R>,
  ): this;
  task<P = any, R = any>(task: TaskDef<P, R>, handler: TypedHandler<P, R>): this;
  task(name: string, options: BatchTaskOptions, handler: BatchHandler): this;
  task(name: string, options: PlainTaskOptions, handler: Handler): this;
  task(name: string, handler: Handler): this;
  /** Registers a named function under its name. */
  task(handler: Handler): this;

  /**
   * Runs until `stop()`; resolves when everything it started is over.
   *
   * @throws the error of opening the store
   */
  run(options?: RunOptions): Promise<void>;
  /**
   * Claims nothing more, for good. Tasks claimed but not started are handed back at once; `run()`
   * resolves when the rest is over.
   */
  stop(options?: StopOptions): void;
  /** `run()` until SIGINT or SIGTERM; a second signal ends the process as it would without us. */
  serve(options?: RunOptions): Promise<void>;
  /** Runs beside `fn`, then stops; resolves to what `fn` returned. */
  background<T>(fn: (worker: this) => T | Promise<T>, options?: RunOptions): Promise<T>;
  /**
   * What this worker holds and has done since it was made. Counted by the native side as it happens;
   * a call costs some microseconds and does not touch the database.
   */
  stats(): WorkerStats;
  /** Closes the store. */
  close(): Promise<void>;
  /** Stops, waits for what runs, and closes the store. */
  [Symbol.asyncDispose](): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------
// What a worker tells about itself

/** Tasks that this worker holds a lease on, by how far they have come. */
export interface InFlightCounts {
  /** Claimed, waiting for a free slot. */
  ready: number;
  /** In a handler. */
  running: number;
  /** Over, with the outcome on its way to the database; or on the way back to the queue. */
  settling: number;
}

/**
 * Attempts counted since the worker was made. Each counts once as claimed, and once when it ends: as
 * succeeded, failed, retried, canceled, lost or released. What a replaced store method settles counts
 * as claimed and started only.
 */
export interface AttemptCounts {
  /** Leased by this worker. */
  claimed: number;
  /** Given to a handler. */
  started: number;
  succeeded: number;
  /** Failed for good. */
  failed: number;
  /** Failed, and queued for another attempt. */
  retried: number;
  canceled: number;
  /** The lease was lost or given up, and nothing was recorded. */
  lost: number;
  /** Handed back to the queue: claimed but not started, or abandoned by `stop({ graceMs })`. */
  released: number;
  /** Ran longer than `maxRunMs`; counted by its outcome as well. */
  timedOut: number;
}

/** Durations in buckets that double, the same for every worker, so that several can be added up. */
export interface Histogram {
  /** How many durations were counted. */
  count: number;
  /** Their sum, in milliseconds. */
  sumMs: number;
  /** Upper bounds of the buckets, inclusive, in milliseconds: 0.125, 0.25, ... 65536. */
  boundsMs: number[];
  /** Durations per bucket, not cumulative; one more than bounds, the last for longer ones. */
  counts: number[];
}

/** What `worker.stats()` gives. */
export interface WorkerStats {
  workerId: string;
  /** Handler calls that may run at once: the concurrency of all runs under way. */
  slots: number;
  /** Handler calls under way, a batch counting as one. */
  runningCalls: number;
  /** Bytes of the payloads of all calls ready or running; what `maxInFlightBytes` bounds. */
  bytes: number;
  inFlight: InFlightCounts;
  /** Sums over all names. */
  totals: AttemptCounts;
  /** By task name. */
  names: Record<string, AttemptCounts & { inFlight: InFlightCounts }>;
  /** By resource: what was declared, and how much of it calls hold. */
  resources: Record<string, { capacity: number; inUse: number }>;
  /** Rounds that looked for work, from their start to their commit. */
  claims: Histogram;
  /** How many of these brought nothing. */
  emptyClaims: number;
  /** Rounds that failed; they are not in `claims`. */
  failedClaims: number;
  /** From a task's start to its outcome. */
  runs: Histogram;
  /** From the outcome to its commit. */
  settlements: Histogram;
}

/**
 * What channel `cairnq:task:start` of `node:diagnostics_channel` gives: a worker's handler is about to
 * run a task. Each task of a batch has its own message. Async-local stores bound to the channel
 * (`channel.bindStore`) are set inside the handler; in a batch, those for the first task.
 */
export interface TaskStartMessage {
  readonly workerId: string;
  readonly taskId: string;
  readonly name: string;
  readonly queue: string;
  /** From 1. */
  readonly attempt: number;
  readonly rootId: string | null;
  readonly correlationId: string | null;
  /** The task's metadata, decoded when first looked at. */
  readonly metadata: Record<string, any>;
  /** Milliseconds since the epoch, with a fraction. */
  readonly startedAtMs: number;
}

/**
 * What channel `cairnq:task:end` gives, once the handler is over and its outcome on the way to the
 * database: the very object of the start, with these fields set. A task whose start nobody was told of
 * has no end either, nor has one whose handler never returns.
 */
export interface TaskEndMessage extends TaskStartMessage {
  /** How long the handler had the task; null until its end. */
  durationMs: number | null;
  /**
   * `completed` or `failed` by what the handler returned or threw, `settled` by its own
   * `ctx.succeed()` or `ctx.fail()`, `lost` when the lease was gone. Null until its end.
   */
  outcome: 'completed' | 'failed' | 'settled' | 'lost' | null;
  /** What a failed task failed with. */
  error: ErrorEnvelope | null;
}

// ---------------------------------------------------------------------------------------------------
// Context

export interface TaskContextOptions {
  /** @default 1000 */
  retryBackoffMs?: number | null;
  /** @default 30000 */
  retryBackoffMaxMs?: number | null;
}

/**
 * Why a handler gives its task up: an error, a text, or a plain object that is stored as it is.
 */
export type FailReason = string | Error | Partial<ErrorEnvelope> | Record<string, any>;

/**
 * What a handler knows of its attempt, and the writes it may make.
 *
 * Once the lease is lost, or the task is settled, every write rejects with {@link LostLease} without
 * touching the database.
 */
export declare class TaskContext<P = any> {
  /** Workers make contexts themselves; by hand it works on a task claimed from a store. */
  constructor(
    store: TaskStore,
    task: Task<P>,
    workerId: string,
    leaseMs: number,
    options?: TaskContextOptions,
  );

  readonly taskId: string;
  readonly name: string;
  readonly queue: string;
  /** From 1. */
  readonly attempt: number;
  readonly payload: P;
  readonly metadata: Record<string, any>;
  readonly rootId: string | null;
  readonly correlationId: string | null;
  readonly workerId: string;
  /** Whether the task's end is committed. Current even inside code that blocks the event loop. */
  readonly settled: boolean;
  /** Whether the task is no longer ours. Current even inside code that blocks the event loop. */
  readonly lostLease: boolean;
  /**
   * Whether a cancel is known to have been asked for: learned with each heartbeat, and current even
   * inside code that blocks the event loop. `canceled()` asks the database.
   */
  readonly cancelRequested: boolean;
  /** Aborted with a {@link LostLease} when the lease is lost. */
  readonly signal: AbortSignal;

  /** Writes progress and message, each unless null. */
  progress(value?: number | null, message?: string | null): Promise<Task>;
  /** Renews the lease now; the worker does so by itself. */
  heartbeat(): Promise<Task>;
  /** Whether the task was asked to stop (or deleted). Handlers that can stop early ask at times. */
  canceled(): Promise<boolean>;
  /**
   * Ends the task before the handler returns; null when it was settled already. A cancel that was
   * asked for wins.
   */
  succeed(result?: unknown): Promise<Task<P> | null>;
  /**
   * Ends the attempt as failed; null when it was settled already. A {@link TaskError} brings its own
   * retryability.
   *
   * @param reason @default 'task failed'
   */
  fail(
    reason?: FailReason | unknown,
    options?: { /** @default true */ retryable?: boolean },
  ): Promise<Task<P> | null>;
  /** Submits a child: parent, root and correlation id are this task's unless given. */
  submit<Q, R>(
    task: TaskDef<Q, R>,
    payload: Q,
    options?: SubmitOptions | null,
  ): Promise<Task<Q, R>>;
  submit<Q = any, R = any>(
    task: TaskDef<Q, R>,
    ...rest: PayloadArgs<Q, SubmitOptions>
  ): Promise<Task<Q, R>>;
  submit(name: string, payload?: any, options?: SubmitOptions | null): Promise<Task>;
  /** As {@link CairnQ.wait}. */
  wait(id: string, options?: WaitOptions | null): Promise<Task>;
}

// ---------------------------------------------------------------------------------------------------
// Errors

/** Base of every error class below. */
export declare class CairnQError extends Error {}

/** A submit with `conflict: 'reject'` met a task under its key. */
export declare class AlreadyExists extends CairnQError {
  constructor(key: string);
  readonly key: string;
}

/** The queue stayed full for `maxQueueWaitMs`; nothing was written. */
export declare class QueueFull extends CairnQError {
  constructor(queue: string, maxDepth: number, waitedMs: number);
  readonly queue: string;
  readonly maxDepth: number;
  readonly waitedMs: number;
}

/** A wait ended before its task; the message says how the task stands. */
export declare class TaskTimeout extends CairnQError {
  constructor(
    taskId: string,
    seen?: { timeoutMs?: number | null; task?: Task | null; key?: string | null },
  );
  /** The task's id; for a key without a task, the key. */
  readonly taskId: string;
  /** The task as last read. */
  readonly task: Task | null;
  readonly key: string | null;
}

/** The awaited task failed for good. */
export declare class TaskFailed extends CairnQError {
  constructor(envelope?: Partial<ErrorEnvelope> | null);
  readonly error: Partial<ErrorEnvelope> | null;
  readonly type: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Record<string, any>;
}

/** The awaited task was canceled. */
export declare class TaskCanceled extends CairnQError {
  constructor(taskId: string);
  readonly taskId: string;
}

/** Thrown by a handler to fail its task with a code and a retryability of its own. */
export declare class TaskError extends CairnQError {
  constructor(
    message: string,
    fields?: {
      /** @default 'task_error' */
      code?: string;
      /** @default false */
      retryable?: boolean;
      /** @default 'TaskError' */
      type?: string;
      /** @default {} */
      details?: Record<string, any>;
    },
  );
  readonly code: string;
  readonly retryable: boolean;
  readonly type: string;
  readonly details: Record<string, any>;
  envelope(): ErrorEnvelope;
}

/** The task is no longer this worker's. */
export declare class LostLease extends CairnQError {
  constructor(taskId: string);
  readonly taskId: string;
}

/** Told to `onError` when a handler kept the event loop from turning for over two heartbeats. */
export declare class EventLoopBlocked extends CairnQError {
  constructor(lateMs: number, intervalMs: number, leaseMs: number);
  readonly lateMs: number;
  readonly intervalMs: number;
  readonly leaseMs: number;
}

/** The database speaks another version of the protocol. */
export declare class ProtocolVersionMismatch extends CairnQError {
  constructor(found: string | number);
}

/** A value is not JSON: NaN, a BigInt, a cycle, a Map; nothing was written. */
export declare class SerializationError extends CairnQError {
  constructor(message: string, options?: { cause?: unknown });
}

// ---------------------------------------------------------------------------------------------------
// Backoff

export declare const DEFAULT_RETRY_BACKOFF_MS: 1000;
export declare const DEFAULT_RETRY_BACKOFF_MAX_MS: 30000;

/**
 * Milliseconds that a failed attempt waits before the next.
 *
 * @param attempt the attempt that failed, from 1
 * @param baseMs @default 1000; 0 or less means no delay
 * @param maxMs @default 30000
 * @param rand a number in [0, 1) @default Math.random
 */
export declare function retryDelayMs(
  attempt: number,
  baseMs?: number,
  maxMs?: number,
  rand?: () => number,
): number;

// biome-ignore lint/complexity/noUselessEmptyExport: without it, what is declared for use in here alone is exported too
export {};
