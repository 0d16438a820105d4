/**
 * Every error class of the package, and the one place that turns the native side's error JSON back
 * into them.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('../index.js').ErrorEnvelope} ErrorEnvelope
 */

/** The base of every error this package defines: `catch (e) { if (e instanceof CairnQError) ... }`. */
export class CairnQError extends Error {}

/** A submit with `conflict: 'reject'` met a task under the same key. */
export class AlreadyExists extends CairnQError {
  /** @param {string} key */
  constructor(key) {
    super(`task with key ${key} already exists`);
    this.key = key;
  }
}

/** The depth gate let nothing through for the whole of `maxQueueWaitMs`; nothing was written. */
export class QueueFull extends CairnQError {
  /**
   * @param {string} queue
   * @param {number} maxDepth
   * @param {number} waitedMs
   */
  constructor(queue, maxDepth, waitedMs) {
    super(
      `queue ${queue} still holds ${maxDepth} or more queued tasks after ${waitedMs}ms; ` +
        'refusing to enqueue more',
    );
    this.queue = queue;
    this.maxDepth = maxDepth;
    this.waitedMs = waitedMs;
  }
}

/** A wait ended before its task did. The task itself goes on. */
export class TaskTimeout extends CairnQError {
  /**
   * @param {string} taskId
   * @param {{ timeoutMs?: number | null, task?: Task | null, key?: string | null }} [seen]
   */
  constructor(taskId, { timeoutMs = null, task = null, key = null } = {}) {
    const subject = key === null ? `task ${taskId}` : `key ${key}`;
    super(
      timeoutMs === null
        ? `${subject} did not finish in time`
        : `${subject} did not finish within ${timeoutMs}ms: ${whyUnfinished(task, key)}`,
    );
    this.taskId = taskId;
    this.task = task;
    this.key = key;
  }
}

/** The awaited task ended as failed; the fields are its error envelope's. */
export class TaskFailed extends CairnQError {
  /** @param {Partial<ErrorEnvelope> | null} [envelope] */
  constructor(envelope = null) {
    super(typeof envelope?.message === 'string' ? envelope.message : 'task failed');
    this.error = envelope;
    this.type = envelope?.type ?? 'TaskError';
    this.code = envelope?.code ?? 'task_error';
    this.retryable = envelope?.retryable ?? false;
    this.details = envelope?.details ?? {};
  }
}

/** The awaited task was canceled. */
export class TaskCanceled extends CairnQError {
  /** @param {string} taskId */
  constructor(taskId) {
    super(`task ${taskId} was canceled`);
    this.taskId = taskId;
  }
}

/** Thrown by a handler to fail its task with a code, a type and a retryability of its own choice. */
export class TaskError extends CairnQError {
  /**
   * @param {string} message
   * @param {{ code?: string, retryable?: boolean, type?: string, details?: Record<string, any> }} [fields]
   */
  constructor(message, { code, retryable, type, details } = {}) {
    super(message);
    this.code = code ?? 'task_error';
    this.retryable = retryable ?? false;
    this.type = type ?? 'TaskError';
    this.details = details ?? {};
  }

  /** @returns {ErrorEnvelope} what is stored in the task's `error` column */
  envelope() {
    return {
      type: this.type,
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      details: this.details,
    };
  }
}

/** The task is no longer this worker's: its lease ran out, or it was settled. */
export class LostLease extends CairnQError {
  /** @param {string} taskId */
  constructor(taskId) {
    super(`lost lease on task ${taskId}`);
    this.taskId = taskId;
  }
}

/** A handler kept the event loop from turning for longer than two heartbeats. */
export class EventLoopBlocked extends CairnQError {
  /**
   * @param {number} lateMs
   * @param {number} intervalMs
   * @param {number} leaseMs
   */
  constructor(lateMs, intervalMs, leaseMs) {
    super(
      `heartbeat beat was ${lateMs}ms late (interval ${intervalMs}ms, lease ${leaseMs}ms): ` +
        'the event loop was blocked; leases were renewed meanwhile, but timers, I/O and ' +
        'cancellation were not served. Move the work to a worker_thread or yield in between',
    );
    this.lateMs = lateMs;
    this.intervalMs = intervalMs;
    this.leaseMs = leaseMs;
  }
}

/** The database speaks another version of the protocol than this package does. */
export class ProtocolVersionMismatch extends CairnQError {
  /** @param {string | number} found the version in the database, or a whole message */
  constructor(found) {
    super(
      typeof found === 'number' || /^\d+$/.test(found)
        ? `storage protocol_version=${found}, SDK supports 1`
        : found,
    );
  }
}

/** A value cannot be stored as JSON; nothing was written. */
export class SerializationError extends CairnQError {}

// On the prototypes rather than per instance, so that a subclass keeps its base's name (a thrown
// TaskError is recognised by it) and the name survives a minifier that renames classes.
for (const [name, type] of Object.entries({
  CairnQError,
  AlreadyExists,
  QueueFull,
  TaskTimeout,
  TaskFailed,
  TaskCanceled,
  TaskError,
  LostLease,
  EventLoopBlocked,
  ProtocolVersionMismatch,
  SerializationError,
})) {
  Object.defineProperty(type.prototype, 'name', {
    value: name,
    configurable: true,
    writable: true,
  });
}

/**
 * @param {Task | null} task
 * @param {string | null} key
 */
function whyUnfinished(task, key) {
  if (task === null) {
    return key === null
      ? 'task not found — wrong database file, or already purged?'
      : 'no task under this key — never submitted, or already purged?';
  }
  const attempts = `(attempt ${task.attempt}/${task.max_attempts})`;
  if (task.status === 'queued') {
    const delayMs = task.run_at_ms - Date.now();
    if (task.attempt === 0 && delayMs <= 0) {
      return (
        `never claimed by a worker — is a worker running with a handler for '${task.name}' ` +
        `on queue '${task.queue}', against this same database?`
      );
    }
    return `still queued ${attempts}${delayMs > 0 ? `, next run in ~${delayMs}ms` : ''}`;
  }
  return task.cancel_requested_at_ms !== null
    ? 'cancel requested, waiting for the handler to observe it'
    : `still running ${attempts}`;
}

/**
 * Rebuilds what the native side rejected with. A database error stays a plain Error that keeps the
 * driver's `code`.
 *
 * @param {{ name?: string, message?: string, [field: string]: any }} json
 * @returns {Error}
 */
export function fromNative({ name, message = 'unknown native error', ...fields }) {
  switch (name) {
    case 'LostLease':
      return new LostLease(fields.taskId);
    case 'AlreadyExists':
      return new AlreadyExists(fields.key);
    case 'ProtocolVersionMismatch':
      return new ProtocolVersionMismatch(fields.version ?? message);
    case 'SerializationError':
      return new SerializationError(message);
    default: {
      const error = new Error(message);
      for (const [field, value] of Object.entries(fields)) {
        if (value !== null && value !== undefined) Object.assign(error, { [field]: value });
      }
      return error;
    }
  }
}

/**
 * The shape `fromNative` reads, for an error that JavaScript hands down to the native side, which
 * gives it back as it is.
 *
 * @param {unknown} error
 * @param {number} thrown by which the caller knows the error object again
 * @returns {string}
 */
export function toNative(error, thrown) {
  try {
    const { name, message } = /** @type {any} */ (error);
    return JSON.stringify({ name: String(name), message: String(message), thrown });
  } catch {
    return JSON.stringify({ name: 'Error', message: 'an error that could not be read', thrown });
  }
}

/**
 * A LostLease of this package or of another copy of it, told by name so that a file still on the
 * older SDK can throw its own. Never throws, whatever was thrown.
 *
 * @param {unknown} error
 * @returns {error is LostLease}
 */
export function isLostLease(error) {
  if (typeof error !== 'object' || error === null) return false;
  try {
    return /** @type {any} */ (error).name === 'LostLease';
  } catch {
    return false;
  }
}
