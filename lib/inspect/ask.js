/**
 * Asking the native side: a question's name, the values of its placeholders (protocol/sql, the comment
 * on top of each text), and a filter where it goes by one.
 *
 * @typedef {{ now_ms: number, level: number, rows: any[] }} Answer
 * @typedef {{ status?: string | null, queue?: string | null, name?: string | null, rootId?: string | null,
 *   correlationId?: string | null, parentId?: string | null }} Filter
 */
import { call } from '../request.js';

/**
 * @param {import('../store.js').TaskStore} store
 * @param {string} question
 * @param {(string | number | null)[]} [values]
 * @param {{ filter?: Filter, by?: string, full?: boolean }} [more]
 * @returns {Promise<Answer>}
 */
export async function ask(store, question, values = [], more = {}) {
  return await call(store, 'inspect', { ask: question, values, ...more });
}
