/**
 * What a task is: its statuses, the questions one asks of it, and typed definitions.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('../index.js').TaskStatus} TaskStatus
 */
import { shown, wellFormed } from './arguments.js';

/** @type {readonly TaskStatus[]} */
export const STATUSES = Object.freeze(['queued', 'running', 'succeeded', 'failed', 'canceled']);

/** @type {readonly TaskStatus[]} */
export const TERMINAL_STATUSES = Object.freeze(['succeeded', 'failed', 'canceled']);

/** @param {string} status */
export function isTerminalStatus(status) {
  return status === 'succeeded' || status === 'failed' || status === 'canceled';
}

/** @param {{ status: TaskStatus }} task */
export function isTerminal(task) {
  return isTerminalStatus(task.status);
}

/** @param {Pick<Task, 'cancel_requested_at_ms'>} task */
export function cancelRequested(task) {
  return (task.cancel_requested_at_ms ?? null) !== null;
}

/** @param {{ status: TaskStatus }} task */
export function isQueued(task) {
  return task.status === 'queued';
}

/** @param {{ status: TaskStatus }} task */
export function isRunning(task) {
  return task.status === 'running';
}

/** @param {{ status: TaskStatus }} task */
export function isSucceeded(task) {
  return task.status === 'succeeded';
}

/** @param {{ status: TaskStatus }} task */
export function isFailed(task) {
  return task.status === 'failed';
}

/** @param {{ status: TaskStatus }} task */
export function isCanceled(task) {
  return task.status === 'canceled';
}

/**
 * Names a kind of task once, with the types of its payload and result (see index.d.ts).
 *
 * @param {string} name
 * @returns {{ readonly name: string }}
 */
export function defineTask(name) {
  return Object.freeze({ name: wellFormed(name, 'task name') });
}

/**
 * The name in a `name | TaskDef` argument. Any object with a string name is a definition, so that
 * one made by the older SDK is honoured.
 *
 * @param {unknown} task
 * @returns {string}
 */
export function taskName(task) {
  if (typeof task === 'string') return wellFormed(task, 'task name');
  const name = /** @type {any} */ (task)?.name;
  if (typeof task === 'object' && typeof name === 'string') return wellFormed(name, 'task name');
  throw new Error(`expected a task name or a task definition, got ${shown(task)}`);
}
