/**
 * Looking at a database without changing it: what the command line, dashboards and metrics read.
 *
 * Every question is bounded and goes by an index, so that it stays fast with millions of tasks, at every
 * schema level. Nothing here takes a write lock, makes a database or migrates one. Times are milliseconds
 * since 1970 by the database's clock (on SQLite: this host's). A count that met its bound is named in
 * `capped`; it then says "at least as many".
 *
 * @packageDocumentation
 */
import type { PostgresStore, SQLiteStore, Task, TaskStatus, TaskStore } from './index.js';

export interface InspectorOptions {
  /** Postgres: the schema of the installation. @default where `search_path` leads */
  schema?: string;
  /** SQLite: how long another process's lock is waited for, in ms. @default 5000 */
  busyTimeoutMs?: number;
  /** Postgres: connections, at least 1. @default 10 */
  max?: number;
}

/** A task without what may be large. */
export type LightTask = Omit<Task, 'payload' | 'result' | 'metadata'>;

export interface QueueCounts {
  /** Queued and due. */
  queued: number;
  /** Queued and not yet due, among the rows looked at, which are the first in claim order. */
  delayed: number;
  /** Both of them together; bounded less tightly than each. */
  waiting: number;
  running: number;
  succeeded: number;
  failed: number;
  canceled: number;
}

export interface QueueOverview {
  queue: string;
  counts: QueueCounts;
  /** The counts that are lower bounds. */
  capped: (keyof QueueCounts)[];
  /** When the longest-waiting due task that was found became due; null when none is due. */
  oldestDueMs: number | null;
}

export interface Overview {
  nowMs: number;
  schemaLevel: number;
  /** At most 200, by name. */
  queues: QueueOverview[];
  /** Whether there are more queues. */
  capped: boolean;
}

export interface NameCounts {
  name: string;
  queue: string;
  /** Delayed ones included. */
  queued: number;
  running: number;
  /** These three: ended since `sinceMs`, among the last 5,000 that ended. */
  succeeded: number;
  failed: number;
  canceled: number;
  /** The counts that are lower bounds. */
  capped: string[];
  /** When the longest-waiting due task among the first in claim order became due. */
  oldestDueMs: number | null;
}

export interface FinishedTask {
  id: string;
  name: string;
  queue: string;
  status: 'succeeded' | 'failed' | 'canceled';
  attempt: number;
  createdAtMs: number;
  /** When its last attempt became due. The row does not keep when it began. */
  runAtMs: number;
  completedAtMs: number;
}

export interface PageInput {
  status?: TaskStatus | null;
  queue?: string | null;
  name?: string | null;
  rootId?: string | null;
  correlationId?: string | null;
  /** Children are looked for among the tasks that share the parent's root. */
  parentId?: string | null;
  /** The one task of this key. */
  key?: string | null;
  /** The `next` of the page before. */
  before?: string | null;
  /** 1 to 500. @default 50 */
  limit?: number;
  /** Whether tasks come with payload, result and metadata. @default false */
  full?: boolean;
  /**
   * How many ms to go on looking where no index finds the tasks and the page is not full yet; with 0 a call looks
   * at 6,000 tasks at most. @default 0
   */
  lookForMs?: number;
}

export interface Page<T = LightTask> {
  nowMs: number;
  /** Newest first, by id: an id begins with the time its task was made. */
  tasks: T[];
  /**
   * Where the next page begins; null at the end. A page may be short, or empty, and not the last: what one
   * call looks at is bounded.
   */
  next: string | null;
}

export interface TaskAndFamily {
  nowMs: number;
  task: Task;
  /** The keys that lead to it, at most 100. */
  keys: string[];
  /** Null when there is none, or when it was purged. */
  parent: LightTask | null;
  root: LightTask | null;
  /** Every task of the same root, oldest first, at most 1,000. */
  family: LightTask[];
  familyCapped: boolean;
  /** Oldest first, the newest 200. */
  children: LightTask[];
  childrenCapped: boolean;
}

export interface RunningTask {
  id: string;
  name: string;
  queue: string;
  attempt: number;
  maxAttempts: number;
  progress: number | null;
  message: string | null;
  /** When this attempt became due. */
  runAtMs: number;
  /** Its last write, a renewal of the lease among them. */
  updatedAtMs: number;
  leaseUntilMs: number;
  cancelRequestedAtMs: number | null;
  /** Whether earlier attempts ended by their lease, leaving no error. */
  silentAttempts: boolean;
}

export interface WorkerOverview {
  workerId: string;
  running: number;
  oldestLeaseUntilMs: number;
  /** Whose lease ends first comes first. */
  tasks: RunningTask[];
}

export declare class Inspector {
  /** On a store of yours, which stays yours: `close()` leaves it open. */
  constructor(store: TaskStore);
  /**
   * Opens a database as it is: a file, a `file:` URI, a Postgres URL or libpq's `key=value` text. Rejects
   * when there is no such file, or no cairnq tables (code `CAIRNQ_NO_TABLES`).
   */
  static open(target: string, options?: InspectorOptions): Promise<Inspector>;
  /** For actions: cancel, retry, purge, submit. */
  readonly store: SQLiteStore | PostgresStore | TaskStore;
  readonly backend: 'sqlite' | 'postgres';
  close(): Promise<void>;
  /** How much there is, by queue and status. At most 10,000 a count, fewer when there are many queues. */
  overview(): Promise<Overview>;
  /** The same by name. `sinceMs`: one hour ago by default. At most 1,000 names. */
  names(options?: { queue?: string | null; sinceMs?: number | null }): Promise<{
    nowMs: number;
    sinceMs: number;
    names: NameCounts[];
    capped: boolean;
  }>;
  /** Ended since `sinceMs` (0 by default), latest first. `limit`: 1 to 10,000, 5,000 by default. */
  finished(options?: {
    sinceMs?: number;
    limit?: number;
    queue?: string | null;
    name?: string | null;
  }): Promise<{ nowMs: number; rows: FinishedTask[]; capped: boolean }>;
  /** How many were submitted and ended in the last `windowMs` (60,000 by default); at most 50,000 each. */
  activity(options?: { windowMs?: number }): Promise<{
    nowMs: number;
    windowMs: number;
    submitted: number;
    finished: number;
    capped: ('submitted' | 'finished')[];
  }>;
  page(input: PageInput & { full: true }): Promise<Page<Task>>;
  page(input?: PageInput): Promise<Page>;
  /** Everything about a task, by id or by key; null when there is none. */
  task(reference: string | { key: string }): Promise<TaskAndFamily | null>;
  /** Who holds a lease now, from at most 2,000 running tasks. A worker that is idle is not seen. */
  workers(): Promise<{ nowMs: number; workers: WorkerOverview[]; capped: boolean }>;
  /** What the database says of itself. The shape differs by backend and is not part of the contract. */
  facts(options?: { longTransactionMs?: number }): Promise<Record<string, unknown>>;
  [Symbol.asyncDispose](): Promise<void>;
}
