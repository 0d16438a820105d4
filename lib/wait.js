/**
 * Waiting for tasks to finish, for the client and for contexts alike.
 *
 * All waiters in this thread on one task of one store share a Watch: one native wake registration
 * and one read per wake. Each waiter keeps its own deadline, and its own fallback polls in case no
 * wake ever comes.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('../index.js').WaitOptions} WaitOptions
 * @typedef {import('./store.js').TaskStore} TaskStore
 */
import { shown } from './arguments.js';
import { TaskTimeout } from './errors.js';
import { isReplaced } from './replaced.js';
import { submitAwaited } from './store.js';
import { isTerminal } from './task.js';
import { callAfter } from './timers.js';
import { watchKey, watchTask } from './watch.js';

/** The steps of call() that may be somebody else's. */
const NATIVE_STEPS = /** @type {const} */ (['submit', 'get', 'taskDoneWake']);

const DEFAULT_TIMEOUT_MS = 30_000;
const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 500;

/**
 * @param {TaskStore} store
 * @param {string} id
 * @param {WaitOptions} [options]
 * @returns {Promise<Task>} the task in whatever terminal status it has
 */
export async function waitForTask(store, id, options) {
  const { timeoutMs } = timing(options);
  return await waitOn(watchTask(store, id), options, (task) => {
    return new TaskTimeout(id, { timeoutMs, task });
  });
}

/**
 * Submits a task and waits for its end. The end is listened for before the task is written, so there
 * is nothing to read before it comes, unless a key led to another task.
 *
 * @param {TaskStore} store
 * @param {import('../index.js').SubmitInput} input
 * @param {WaitOptions} options
 * @returns {Promise<{ id: string, done: Task }>}
 */
export async function submitAndWait(store, input, options) {
  const { timeoutMs } = timing(options);
  const listens = timeoutMs > 0 && NATIVE_STEPS.every((step) => !isReplaced(store, step));
  const { task, isNew } = listens
    ? await submitAwaited(store, input)
    : { task: await store.submit(input), isNew: false };
  const { id } = task;
  const done = await waitOn(
    watchTask(store, id),
    options,
    (seen) => new TaskTimeout(id, { timeoutMs, task: seen }),
    isNew ? task : null,
  );
  return { id, done };
}

/**
 * @param {TaskStore} store
 * @param {string} key
 * @param {WaitOptions} [options]
 * @returns {Promise<Task>}
 */
export async function waitForKey(store, key, options) {
  const { timeoutMs } = timing(options);
  return await waitOn(watchKey(store, key), options, (task) => {
    return new TaskTimeout(task?.id ?? key, { timeoutMs, task, key });
  });
}

/**
 * @param {import('./watch.js').Watch} watch
 * @param {WaitOptions | undefined} options
 * @param {(task: Task | null) => TaskTimeout} timedOut
 * @param {Task | null} [submitted] the task as it was when its end began to be listened for
 * @returns {Promise<Task>}
 */
function waitOn(watch, options, timedOut, submitted = null) {
  const { timeoutMs, pollMs, maxPollMs } = timing(options);
  const deadline = performance.now() + timeoutMs;

  return new Promise((resolve, reject) => {
    /** @type {Task | null} */
    let seen = submitted;
    let over = false;
    let intervalMs = pollMs;
    let cancelTimer = () => {};

    const leave = () => {
      over = true;
      cancelTimer();
      watch.leave(waiter);
    };
    const waiter = {
      deadline,
      /** @param {Task | null} task */
      read(task) {
        seen = task;
        if (task === null || !isTerminal(task)) return;
        leave();
        resolve(task);
      },
      /** @param {unknown} error */
      failed(error) {
        leave();
        reject(error);
      },
    };

    const poll = async () => {
      // Asked before the read, so that the last read is one that began at or past the deadline.
      const last = performance.now() >= deadline;
      await watch.read();
      if (over) return;
      if (last) {
        leave();
        reject(timedOut(seen));
        return;
      }
      pollLater();
    };
    const pollLater = () => {
      const restMs = Math.max(0, deadline - performance.now());
      cancelTimer = callAfter(Math.min(intervalMs, Math.ceil(restMs)), poll);
      intervalMs = Math.min(maxPollMs, Math.max(intervalMs + 1, Math.floor(intervalMs * 1.5)));
    };

    watch.join(waiter);
    if (submitted === null) poll();
    else pollLater();
  });
}

/** @param {WaitOptions} [options] */
function timing(options) {
  const timeoutMs = options?.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const pollMs = options?.pollMs ?? FIRST_POLL_MS;
  const maxPollMs = options?.maxPollMs ?? LONGEST_POLL_MS;
  for (const [name, value] of Object.entries({ timeoutMs, pollMs, maxPollMs })) {
    if (typeof value !== 'number' || Number.isNaN(value)) {
      throw new Error(`${name} must be a number of milliseconds, got ${shown(value)}`);
    }
  }
  return { timeoutMs, pollMs: Math.max(1, pollMs), maxPollMs: Math.max(1, maxPollMs) };
}
