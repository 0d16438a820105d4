export {
  DEFAULT_RETRY_BACKOFF_MAX_MS,
  DEFAULT_RETRY_BACKOFF_MS,
  retryDelayMs,
} from './lib/backoff.js';
export { CairnQ } from './lib/client.js';
export { TaskContext } from './lib/context.js';
export {
  AlreadyExists,
  CairnQError,
  EventLoopBlocked,
  LostLease,
  ProtocolVersionMismatch,
  QueueFull,
  SerializationError,
  TaskCanceled,
  TaskError,
  TaskFailed,
  TaskTimeout,
} from './lib/errors.js';
export { QueueDepthGate } from './lib/gate.js';
export { RetentionSweeper } from './lib/retention.js';
export { PostgresStore, SQLiteStore, TaskStore } from './lib/store.js';
export {
  cancelRequested,
  defineTask,
  isCanceled,
  isFailed,
  isQueued,
  isRunning,
  isSucceeded,
  isTerminal,
  isTerminalStatus,
  STATUSES,
} from './lib/task.js';
export { Worker } from './lib/worker.js';
