/** The client inside a service: wrapped in a class, generic over definitions, its store replaceable in tests. */
import {
  AlreadyExists,
  CairnQ,
  CairnQError,
  type CallOptions,
  type ClientOptions,
  PostgresStore,
  QueueFull,
  SQLiteStore,
  type SubmitOptions,
  type Task,
  TaskCanceled,
  type TaskDef,
  TaskFailed,
  type TaskStore,
  TaskTimeout,
} from '@cairnq/native';

const LIMITS: ClientOptions = {
  maxQueueDepth: { default: 10_000, slow: 100 },
  maxQueueWaitMs: 2000,
  queuePollIntervalMs: 50,
};

export class Jobs {
  readonly #client: CairnQ;

  constructor(store: TaskStore) {
    this.#client = new CairnQ(store, LIMITS);
  }

  static fromEnvironment(): Jobs {
    const dsn = process.env.DATABASE_URL;
    return new Jobs(dsn ? new PostgresStore(dsn, { max: 4 }) : new SQLiteStore('jobs.db'));
  }

  async once<P extends object, R>(task: TaskDef<P, R>, payload: P, key: string): Promise<string> {
    const options: SubmitOptions = { key, conflict: 'reject' };
    try {
      const { id } = await this.#client.submit(task, payload, options);
      return id;
    } catch (error) {
      if (error instanceof AlreadyExists) return error.key;
      if (error instanceof QueueFull) {
        throw new Error(`${error.queue}: ${error.maxDepth} queued, waited ${error.waitedMs} ms`);
      }
      throw error;
    }
  }

  /** A result, or why there is none. */
  async outcome(name: string, payload: unknown, options: CallOptions = {}): Promise<string> {
    try {
      return String(await this.#client.call(name, payload, { waitTimeoutMs: 1000, ...options }));
    } catch (error) {
      if (error instanceof TaskFailed) {
        return `${error.type} (${error.code}): ${error.message}, ${error.retryable}, ${error.details.at}`;
      }
      if (error instanceof TaskCanceled) return `canceled: ${error.taskId}`;
      if (error instanceof TaskTimeout) return `not yet: ${error.taskId} ${error.task?.progress}`;
      if (error instanceof CairnQError) return error.message;
      throw error;
    }
  }

  async last(key: string): Promise<Task | null> {
    return await this.#client.getByKey(key);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
