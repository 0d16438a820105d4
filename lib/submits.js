/**
 * How submits reach the native side: those of one turn go down in one crossing, and what comes back
 * of a new task is only what its caller does not know yet. The rest of it is put together meanwhile.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('./native-store.js').Backed} Backed
 * @typedef {import('./submission.js').Submission} Submission
 * @typedef {import('./bridge.js').Times} Times
 * @typedef {{ submission: Submission, task: Task | null }} Pending
 * @typedef {[count: number, createdAtMs: number, runAtMs: number]} NewRun
 * @typedef {{ ids: number[], awaited: number[], pending: Pending[] }} Turn
 */
import { bridge } from './bridge.js';
import { Lookout } from './lookout.js';
import { NATIVE } from './native-store.js';

/** Tasks that cross at once when many are submitted: the database writes them meanwhile. */
const PART = 500;

// An application's fake timers may replace it later.
const { nextTick } = process;

/** Submits that wait for the end of the turn. @type {Map<Backed, Turn>} */
const turns = new Map();

const lookout = new Lookout();

/**
 * @param {Backed} store
 * @param {Submission} submission
 * @param {boolean} awaited the task's end is asked for next
 * @returns {Promise<{ task: Task, isNew: boolean }>} not new: the task its key led to
 */
export function submitOne(store, submission, awaited) {
  return new Promise((resolve, reject) => {
    /** @type {Pending} */
    const pending = { submission, task: null };
    const turn = turns.get(store) ?? begin(store);
    const answered = (/** @type {string | Times} */ answer) => {
      lookout.answered();
      // A throw would keep the other answers that came with this one from their callers.
      try {
        resolve(outcomeOf(pending, answer));
      } catch (error) {
        reject(error);
      }
    };
    turn.ids.push(bridge().expect(answered, reject));
    if (awaited) turn.awaited.push(turn.pending.length);
    turn.pending.push(pending);
  });
}

/**
 * @param {Pending} pending
 * @param {string | Times} answer the task that the key led to, or the times of the new one
 */
function outcomeOf(pending, answer) {
  if (typeof answer === 'string') return { task: JSON.parse(answer), isNew: false };
  const task = /** @type {Task} */ (pending.task);
  setTimes(task, answer.createdAtMs, answer.runAtMs);
  return { task, isNew: true };
}

/**
 * @param {Backed} store
 * @param {Submission[]} submissions
 * @returns {Promise<Task[]>}
 */
export async function submitAll(store, submissions) {
  sendSubmits();
  /** @type {Task[]} */
  const tasks = [];
  const text = await bridge().request((id) => {
    const ids = handOver(store[NATIVE]().submitMany(id), submissions);
    const now = Date.now();
    // While the database writes them.
    for (let i = 0; i < ids.length; i++) tasks.push(taskOf(submissions[i], ids[i], now));
  });
  /** @type {(NewRun | Task)[]} */
  const answers = JSON.parse(text);
  let next = 0;
  for (const answer of answers) {
    if (!Array.isArray(answer)) {
      tasks[next] = answer;
      next += 1;
      continue;
    }
    const [count, createdAtMs, runAtMs] = answer;
    for (const end = next + count; next < end; next += 1) {
      setTimes(tasks[next], createdAtMs, runAtMs);
    }
  }
  return tasks;
}

/**
 * Nothing of the caller's runs here: a transaction may be waiting for the rest.
 *
 * @param {import('../native.cjs').NativeSubmit} submit
 * @param {Submission[]} submissions
 * @returns {string[]} the tasks' ids
 */
function handOver(submit, submissions) {
  const ids = [];
  let complete = false;
  try {
    for (let from = 0; from < submissions.length; from += PART) {
      const part = submissions.slice(from, from + PART);
      ids.push(...submit.add(JSON.stringify(rows(part)), texts(part)).split('\n'));
    }
    complete = true;
  } finally {
    submit.end(complete);
  }
  return ids;
}

/** Sends what waits, so that nothing that was asked for later overtakes it. */
export function sendSubmits() {
  if (turns.size === 0) return;
  const sent = [...turns];
  turns.clear();
  for (const [store, turn] of sent) send(store, turn);
}

/** @param {Backed} store */
function begin(store) {
  if (turns.size === 0) nextTick(sendSubmits);
  /** @type {Turn} */
  const turn = { ids: [], awaited: [], pending: [] };
  turns.set(store, turn);
  return turn;
}

/**
 * @param {Backed} store
 * @param {Turn} turn
 */
function send(store, { ids, awaited, pending }) {
  const submissions = pending.map(({ submission }) => submission);
  /** @type {string[]} */
  let taskIds;
  try {
    const turn = JSON.stringify([ids, awaited, rows(submissions)]);
    taskIds = store[NATIVE]().submit(turn, texts(submissions)).split('\n');
  } catch (error) {
    for (const id of ids) bridge().refuse(id, error);
    return;
  }
  lookout.asked();
  const now = Date.now();
  for (let i = 0; i < pending.length; i++) {
    pending[i].task = taskOf(submissions[i], taskIds[i], now);
  }
}

/**
 * A row each; null for one that is as the row before it, as nearly all are where many come at once.
 *
 * @param {Submission[]} submissions
 */
function rows(submissions) {
  /** @type {unknown[]} */
  let before = [];
  return submissions.map(({ args }) => {
    const row = [
      args.name,
      args.queue,
      args.key,
      args.conflict,
      args.maxAttempts,
      args.priority,
      args.parentId,
      args.rootId,
      args.correlationId,
      args.runAtDelayMs,
    ];
    const repeated = row.every((value, at) => value === before[at]);
    before = row;
    return repeated ? null : row;
  });
}

/** @param {Submission[]} submissions JSON.stringify never emits a raw newline, so one joins */
function texts(submissions) {
  return submissions.map(({ payload, metadata }) => `${payload}\n${metadata}`).join('\n');
}

/**
 * The new task of a submit, but for its times.
 *
 * @param {Submission} submission
 * @param {string} id
 * @param {number} now what stands for the times is near them, so that they fit in its place
 * @returns {Task}
 */
function taskOf({ args, payload, metadata }, id, now) {
  return {
    id,
    name: args.name,
    queue: args.queue,
    status: 'queued',
    payload: JSON.parse(payload),
    metadata: metadata === '{}' ? {} : JSON.parse(metadata),
    result: null,
    error: null,
    progress: null,
    message: null,
    attempt: 0,
    max_attempts: args.maxAttempts,
    priority: args.priority,
    worker_id: null,
    lease_until_ms: null,
    run_at_ms: now,
    cancel_requested_at_ms: null,
    parent_id: args.parentId,
    root_id: args.rootId ?? id,
    correlation_id: args.correlationId,
    created_at_ms: now,
    updated_at_ms: now,
    completed_at_ms: null,
  };
}

/**
 * @param {Task} task
 * @param {number} createdAtMs
 * @param {number} runAtMs
 */
function setTimes(task, createdAtMs, runAtMs) {
  task.created_at_ms = createdAtMs;
  task.updated_at_ms = createdAtMs;
  task.run_at_ms = runAtMs;
}
