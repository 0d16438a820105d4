/**
 * Takes a submit, or many, through the depth gate.
 *
 * @typedef {import('./submission.js').SubmitArgs} SubmitArgs
 */
import { call } from './request.js';
import { mayReuse } from './submission.js';

/**
 * Asks the gate for room, except for submits that will only return an existing task: those enqueue
 * nothing.
 *
 * @param {import('./store.js').TaskStore} store
 * @param {import('./gate.js').QueueDepthGate} gate
 * @param {SubmitArgs[]} submits
 */
export async function admit(store, gate, submits) {
  /** @type {Map<string, number>} */
  const wanted = new Map();
  for (const submit of submits) {
    if (gate.limitFor(submit.queue) === null) continue;
    if (mayReuse(submit) && (await call(store, 'wouldReuse', reuseQuestion(submit)))) continue;
    wanted.set(submit.queue, (wanted.get(submit.queue) ?? 0) + 1);
  }
  for (const [queue, count] of wanted) await gate.acquire(queue, count);
}

/** @param {SubmitArgs} submit */
function reuseQuestion({ key, conflict }) {
  return { key, conflict };
}
