/**
 * Answers the native side when it hands a step to JavaScript because the store's method for it is
 * replaced.
 *
 * @typedef {import('../../native.cjs').NativeWorker} NativeWorker
 * @typedef {import('../store.js').TaskStore} TaskStore
 * @typedef {import('../../index.js').Task} Task
 * @typedef {{ workerId: string, leaseMs: number, queues: readonly string[] }} Identity
 */
import { shown } from '../arguments.js';
import { encodeObject } from '../json.js';

/**
 * One claim session through `store.claimSession`: the native scheduler says what to draw, and gets
 * the rows.
 *
 * @param {NativeWorker} native
 * @param {TaskStore} store
 * @param {Identity} identity
 * @param {string[]} names
 * @param {number} req
 * @param {(error: unknown) => string} describe an error, for the native side to report
 */
export async function claimThroughStore(native, store, identity, names, req, describe) {
  const { workerId, leaseMs, queues } = identity;
  try {
    await store.claimSession({ queues: [...queues], workerId, leaseMs, names }, async (draw) => {
      for (;;) {
        const wanted = JSON.parse(native.planNext(req) ?? 'null');
        if (wanted === null) return;
        const rows = await draw(wanted.names, wanted.limit);
        if (!Array.isArray(rows)) {
          throw new TypeError(`draw gave ${shown(rows)}, not an array of tasks`);
        }
        const payloads = rows.map(({ payload }) => encodeObject(payload));
        native.planRows(req, rowsJson(rows), payloads);
      }
    });
  } catch (error) {
    native.planEnd(req, describe(error));
    return;
  }
  native.planEnd(req, null);
}

/**
 * One renewal through `store.heartbeatBatch`.
 *
 * @param {NativeWorker} native
 * @param {TaskStore} store
 * @param {Identity} identity
 * @param {string[]} taskIds
 * @param {number} req
 * @param {(error: unknown) => string} describe
 */
export async function renewThroughStore(native, store, identity, taskIds, req, describe) {
  const { workerId, leaseMs } = identity;
  try {
    const renewed = await store.heartbeatBatch({ taskIds, workerId, leaseMs });
    if (!(renewed instanceof Map)) {
      throw new TypeError(`heartbeatBatch gave ${shown(renewed)}, not a Map`);
    }
    const pairs = [...renewed].map(([id, cancel]) => [String(id), Boolean(cancel)]);
    native.beatEnd(req, null, JSON.stringify(pairs));
  } catch (error) {
    native.beatEnd(req, describe(error), null);
  }
}

/**
 * The rows as the native side reads them: payloads travel apart, as texts it never parses.
 *
 * @param {Task[]} rows
 */
function rowsJson(rows) {
  return JSON.stringify(rows.map(({ payload, ...row }) => row));
}
