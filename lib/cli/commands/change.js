/** What retry and cancel share: tasks by id, by key, or by ids from the standard input. */
import { OK, PROBLEM, usage } from '../exit.js';
import { clean } from '../format.js';
import { changing } from '../open.js';
import { readAll } from '../values.js';

/**
 * @typedef {{ id?: string, key?: string }} Reference
 * @typedef {{ reference: Reference, task: import('../../../index.js').Task | null }} Changed
 */

/**
 * @param {import('../main.js').Call} call
 * @returns {Promise<Reference[]>}
 */
export async function references({ operands, values, environment }) {
  if (values.key !== undefined && operands.length > 0) {
    throw usage('an ID or --key KEY, not both');
  }
  if (values.key !== undefined) return [{ key: values.key }];
  const ids = operands.includes('-')
    ? (await readAll(environment.stdin)).split(/\s+/).filter((id) => id !== '')
    : operands;
  if (ids.length === 0 && !operands.includes('-')) throw usage('an ID or --key KEY is missing');
  return ids.map((id) => ({ id }));
}

/**
 * Changes each, and says which could not be.
 *
 * @param {import('../main.js').Call} call
 * @param {Reference[]} asked
 * @param {(store: import('../../store.js').TaskStore, reference: Reference) => Promise<import('../../../index.js').Task | null>} change
 * @param {{ done: (task: import('../../../index.js').Task) => string, refused: string }} words
 */
export async function changeEach(call, asked, change, { done, refused }) {
  const { terminal } = call;
  return await changing(call, async (store) => {
    /** @type {Changed[]} */
    const changed = [];
    for (const reference of asked) {
      changed.push({ reference, task: await change(store, reference) });
    }
    const unchanged = changed.filter(({ task }) => task === null);
    terminal.answer(changed, () => {
      for (const { reference, task } of changed) {
        const named = clean(reference.id ?? `key ${reference.key}`);
        if (task === null) terminal.note(`${named}: ${refused}`);
        else terminal.line(`${named}: ${done(task)}`);
      }
    });
    return unchanged.length === 0 ? OK : PROBLEM;
  });
}
