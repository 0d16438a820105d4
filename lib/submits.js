/**
 * How submits reach the native side: those of one turn go down in one crossing, and what comes back
 * of a new task is only what its caller does not know yet.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('./native-store.js').Backed} Backed
 * @typedef {import('./submission.js').Submission} Submission
 * @typedef {[id: string, createdAtMs: number, runAtMs: number]} New
 * @typedef {{
 *   ids: number[], awaited: number[], submissions: Submission[],
 *   rejects: ((error: unknown) => void)[],
 * }} Turn
 */
import { bridge } from './bridge.js';
import { NATIVE } from './native-store.js';

// An application's fake timers may replace it later.
const { nextTick } = process;

/** Submits that wait for the end of the turn. @type {Map<Backed, Turn>} */
const turns = new Map();

/**
 * @param {Backed} store
 * @param {Submission} submission
 * @param {boolean} awaited the task's end is asked for next
 * @returns {Promise<{ task: Task, isNew: boolean }>} not new: the task its key led to
 */
export async function submitOne(store, submission, awaited) {
  /** @type {string} */
  const text = await new Promise((resolve, reject) => {
    const turn = turns.get(store) ?? begin(store);
    turn.ids.push(bridge().expect(resolve, reject));
    if (awaited) turn.awaited.push(turn.submissions.length);
    turn.submissions.push(submission);
    turn.rejects.push(reject);
  });
  const [answer] = JSON.parse(text);
  return { task: taskOf(submission, answer), isNew: Array.isArray(answer) };
}

/**
 * @param {Backed} store
 * @param {Submission[]} submissions
 * @returns {Promise<Task[]>}
 */
export async function submitAll(store, submissions) {
  sendSubmits();
  const text = await bridge().request((id) =>
    store[NATIVE]().submitMany(id, rows(submissions), texts(submissions)),
  );
  /** @type {(New | Task)[]} */
  const answers = JSON.parse(text);
  return submissions.map((submission, index) => taskOf(submission, answers[index]));
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
  const turn = { ids: [], awaited: [], submissions: [], rejects: [] };
  turns.set(store, turn);
  return turn;
}

/**
 * @param {Backed} store
 * @param {Turn} turn
 */
function send(store, { ids, awaited, submissions, rejects }) {
  const [requests, waited] = [Uint32Array.from(ids), Uint32Array.from(awaited)];
  try {
    store[NATIVE]().submit(requests, waited, rows(submissions), texts(submissions));
  } catch (error) {
    for (const id of ids) bridge().forget(id);
    for (const reject of rejects) reject(error);
  }
}

/** @param {Submission[]} submissions */
function rows(submissions) {
  return JSON.stringify(
    submissions.map(({ args }) => [
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
    ]),
  );
}

/** @param {Submission[]} submissions JSON.stringify never emits a raw newline, so one joins */
function texts(submissions) {
  return submissions.map(({ payload, metadata }) => `${payload}\n${metadata}`).join('\n');
}

/**
 * @param {Submission} submission
 * @param {New | Task} answer
 * @returns {Task}
 */
function taskOf({ args, payload, metadata }, answer) {
  if (!Array.isArray(answer)) return answer;
  const [id, createdAtMs, runAtMs] = answer;
  return {
    id,
    name: args.name,
    queue: args.queue,
    status: 'queued',
    payload: JSON.parse(payload),
    metadata: JSON.parse(metadata),
    result: null,
    error: null,
    progress: null,
    message: null,
    attempt: 0,
    max_attempts: args.maxAttempts,
    priority: args.priority,
    worker_id: null,
    lease_until_ms: null,
    run_at_ms: runAtMs,
    cancel_requested_at_ms: null,
    parent_id: args.parentId,
    root_id: args.rootId ?? id,
    correlation_id: args.correlationId,
    created_at_ms: createdAtMs,
    updated_at_ms: createdAtMs,
    completed_at_ms: null,
  };
}
