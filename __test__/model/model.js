/**
 * The operations of a task table, in memory and one at a time: what the databases are compared with. It knows
 * nothing of SQL; whatever a rule says about "now" is left as a Stamp for the comparison to bound and fill in.
 */

/** The time of the operation, plus a delay. */
export class Stamp {
  constructor(delayMs = 0) {
    this.delayMs = delayMs;
  }
}

const TERMINAL = new Set(['succeeded', 'failed', 'canceled']);

const LEASE_EXPIRED = {
  type: 'LeaseExpired',
  code: 'lease_expired',
  message: 'task lease expired and max attempts reached',
  retryable: false,
  details: {},
};

export const isTerminal = (row) => TERMINAL.has(row.status);

/** An operation that the product must refuse, with the fields its error carries. */
export class Refusal {
  constructor(name, fields) {
    this.name = name;
    this.fields = fields;
  }
}

export class Model {
  /** @type {Map<string, any>} */
  rows = new Map();
  /** @type {Map<string, string>} */
  keys = new Map();
  /** Ties of priority go by creation below level 8, by due time from there on. */
  dueOrder = false;
  /** The most attempts a task may have made: more than max_attempts only after a retry. */
  attemptsAllowed = new Map();

  /** Which row a keyed submit would give back; undefined when it would write one. */
  #existing({ key, conflict }) {
    const row = key === null ? undefined : this.rows.get(this.keys.get(key));
    if (row === undefined) return undefined;
    if (conflict === 'reject') return new Refusal('AlreadyExists', { key });
    const kept =
      conflict === 'reuse'
        ? !isTerminal(row)
        : conflict === 'reuse-succeeded'
          ? !isTerminal(row) || row.status === 'succeeded'
          : false;
    return kept ? row : undefined;
  }

  /** @returns {any} the row before the submit wrote any, or a Refusal */
  willGive(input) {
    return this.#existing(input);
  }

  /** Writes a row that the product has named `id`. */
  submit(input, id) {
    const existing = this.#existing(input);
    if (existing !== undefined) return existing;
    if (input.key !== null) {
      const replaced = this.keys.get(input.key);
      if (replaced !== undefined) this.cancel(replaced);
      this.keys.set(input.key, id);
    }
    const row = {
      id,
      name: input.name,
      queue: input.queue,
      status: 'queued',
      payload: input.payload,
      result: null,
      error: null,
      metadata: input.metadata,
      progress: null,
      message: null,
      attempt: 0,
      max_attempts: input.maxAttempts,
      priority: input.priority,
      worker_id: null,
      lease_until_ms: null,
      run_at_ms: new Stamp(input.runAtDelayMs),
      cancel_requested_at_ms: null,
      parent_id: input.parentId,
      root_id: input.rootId ?? id,
      correlation_id: input.correlationId,
      created_at_ms: new Stamp(),
      updated_at_ms: new Stamp(),
      completed_at_ms: null,
    };
    this.rows.set(id, row);
    this.attemptsAllowed.set(id, input.maxAttempts);
    return row;
  }

  /** Ends or requeues every run whose lease is over, whatever its queue and name. */
  recover(nowMs) {
    for (const row of this.rows.values()) {
      if (row.status !== 'running' || row.lease_until_ms > nowMs) continue;
      if (row.cancel_requested_at_ms !== null) this.#end(row, 'canceled');
      else if (row.attempt < row.max_attempts) this.#requeue(row, 0);
      else this.#end(row, 'failed', { error: LEASE_EXPIRED });
    }
  }

  /** The rows that a draw takes, in order. */
  claim({ queues, names, limit, workerId, leaseMs }, nowMs) {
    const taken = this.#due(queues, names, nowMs)
      .sort((a, b) => this.#inClaimOrder(a, b))
      .slice(0, limit);
    for (const row of taken) {
      Object.assign(row, {
        status: 'running',
        worker_id: workerId,
        lease_until_ms: new Stamp(leaseMs),
        attempt: row.attempt + 1,
        updated_at_ms: new Stamp(),
      });
    }
    return taken;
  }

  /** Whether a claim session would find anything to do. */
  probe({ queues, names }, nowMs) {
    const expired = [...this.rows.values()].some(
      (row) => row.status === 'running' && row.lease_until_ms <= nowMs,
    );
    return expired || this.#due(queues, names, nowMs).length > 0;
  }

  #due(queues, names, nowMs) {
    return [...this.rows.values()].filter(
      (row) =>
        row.status === 'queued' &&
        queues.includes(row.queue) &&
        (names === null || names.includes(row.name)) &&
        // A row requeued in this very operation is due in it.
        (row.run_at_ms instanceof Stamp ? row.run_at_ms.delayMs <= 0 : row.run_at_ms <= nowMs),
    );
  }

  #inClaimOrder(a, b) {
    const by = this.dueOrder ? 'run_at_ms' : 'created_at_ms';
    // What became due in this operation is the latest there is.
    const at = (row) => (row[by] instanceof Stamp ? Number.MAX_SAFE_INTEGER : row[by]);
    return b.priority - a.priority || at(a) - at(b) || (a.id < b.id ? -1 : 1);
  }

  /** The row, when `workerId` holds a live lease on it. */
  #owned({ taskId, workerId }, nowMs) {
    const row = this.rows.get(taskId);
    const owned =
      row?.status === 'running' && row.worker_id === workerId && row.lease_until_ms > nowMs;
    return owned ? row : new Refusal('LostLease', { taskId });
  }

  /** Changes an owned row; a Refusal when there is none. */
  #write(owner, nowMs, change) {
    const row = this.#owned(owner, nowMs);
    if (row instanceof Refusal) return row;
    change(row);
    row.updated_at_ms = new Stamp();
    return row;
  }

  heartbeat(input, nowMs) {
    return this.#write(input, nowMs, (row) => {
      row.lease_until_ms = new Stamp(input.leaseMs);
    });
  }

  heartbeatBatch({ taskIds, ...input }, nowMs) {
    const flags = new Map();
    for (const taskId of taskIds) {
      const row = this.heartbeat({ taskId, ...input }, nowMs);
      if (!(row instanceof Refusal)) flags.set(taskId, row.cancel_requested_at_ms !== null);
    }
    return flags;
  }

  progress(input, nowMs) {
    return this.#write(input, nowMs, (row) => {
      row.progress = input.progress ?? row.progress;
      row.message = input.message ?? row.message;
    });
  }

  succeed(input, nowMs) {
    return this.#write(input, nowMs, (row) => this.#succeeded(row, input));
  }

  complete(input, nowMs) {
    return this.#write(input, nowMs, (row) => {
      if (row.cancel_requested_at_ms !== null) this.#end(row, 'canceled');
      else this.#succeeded(row, input);
    });
  }

  #succeeded(row, { result, message }) {
    this.#end(row, 'succeeded', { result, progress: 1, message: message ?? row.message });
  }

  fail(input, nowMs) {
    return this.#write(input, nowMs, (row) => {
      row.error = input.error;
      if (row.cancel_requested_at_ms !== null) this.#end(row, 'canceled');
      else if (input.retryable && row.attempt < row.max_attempts) this.#requeue(row, input.delayMs);
      else this.#end(row, 'failed');
    });
  }

  #end(row, status, fields = {}) {
    Object.assign(row, fields, {
      status,
      lease_until_ms: null,
      completed_at_ms: new Stamp(),
      updated_at_ms: new Stamp(),
    });
  }

  #requeue(row, delayMs) {
    Object.assign(row, {
      status: 'queued',
      worker_id: null,
      lease_until_ms: null,
      run_at_ms: new Stamp(delayMs),
      completed_at_ms: null,
      progress: null,
      message: null,
      updated_at_ms: new Stamp(),
    });
  }

  cancel(id) {
    const row = this.rows.get(id);
    if (row === undefined || isTerminal(row)) return null;
    if (row.status === 'queued') this.#end(row, 'canceled');
    else row.cancel_requested_at_ms = new Stamp();
    row.updated_at_ms = new Stamp();
    return row;
  }

  retry(id, resetAttempt) {
    const row = this.rows.get(id);
    if (row?.status !== 'failed' && row?.status !== 'canceled') return null;
    this.#requeue(row, 0);
    Object.assign(row, { error: null, cancel_requested_at_ms: null });
    if (resetAttempt) row.attempt = 0;
    this.attemptsAllowed.set(id, Math.max(row.max_attempts, row.attempt + 1));
    return row;
  }

  /** Ids that go, oldest first. `ageless` ties are left to the caller. */
  purge({ olderThanMs, limit, status, name, queue }, nowMs) {
    const gone = [...this.rows.values()]
      .filter(
        (row) =>
          isTerminal(row) &&
          row.completed_at_ms < nowMs - olderThanMs &&
          (status === null || row.status === status) &&
          (name === null || row.name === name) &&
          (queue === null || row.queue === queue),
      )
      .sort((a, b) => a.completed_at_ms - b.completed_at_ms)
      .slice(0, limit)
      .map(({ id }) => id);
    for (const id of gone) this.rows.delete(id);
    for (const [key, id] of this.keys) if (!this.rows.has(id)) this.keys.delete(key);
    return gone;
  }

  list({ status, queue, name, rootId, correlationId, limit, offset }) {
    const asked = { status, queue, name, root_id: rootId, correlation_id: correlationId };
    return [...this.rows.values()]
      .filter((row) =>
        Object.entries(asked).every(([field, wanted]) => wanted === null || row[field] === wanted),
      )
      .sort((a, b) => b.created_at_ms - a.created_at_ms || (a.id < b.id ? 1 : -1))
      .slice(offset, offset + limit);
  }

  stats() {
    const counts = new Map();
    for (const { queue, status } of this.rows.values()) {
      const zero = { queued: 0, running: 0, succeeded: 0, failed: 0, canceled: 0 };
      if (!counts.has(queue)) counts.set(queue, zero);
      counts.get(queue)[status] += 1;
    }
    return counts;
  }

  headroom(queue, maxDepth) {
    const queued = [...this.rows.values()].filter(
      (row) => row.status === 'queued' && row.queue === queue,
    );
    return Math.max(0, maxDepth - queued.length);
  }
}
