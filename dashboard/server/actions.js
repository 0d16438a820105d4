/**
 * What the page can do, through the client that every program uses.
 *
 * @typedef {import('@cairnq/native').CairnQ} CairnQ
 */
import { Refusal } from './answers.js';

/** Tasks that one action takes. */
const TASKS_AT_ONCE = 200;
/** Tasks that one purge deletes; the page asks again while there are more. */
const PURGED_AT_ONCE = 1_000;
const ENDED = ['succeeded', 'failed', 'canceled'];

export class Actions {
  #client;

  /** @param {() => Promise<CairnQ>} client */
  constructor(client) {
    this.#client = client;
  }

  /** @param {any} body `{ ids, resetAttempt? }` */
  async retry({ ids, resetAttempt = false }) {
    if (typeof resetAttempt !== 'boolean') throw bad('resetAttempt must be true or false');
    return await this.#each(ids, (client, id) => client.retry(id, { resetAttempt }));
  }

  /** @param {any} body `{ ids }` */
  async cancel({ ids }) {
    return await this.#each(ids, (client, id) => client.cancel(id));
  }

  /** @param {any} body `{ olderThanMs, status?, queue?, name? }` */
  async purge({ olderThanMs, status = null, queue = null, name = null }) {
    if (!Number.isFinite(olderThanMs) || olderThanMs < 0) throw bad('olderThanMs must be >= 0');
    if (status !== null && !ENDED.includes(status)) {
      throw bad(`status must be one of ${ENDED.join(', ')}, or absent`);
    }
    for (const [field, value] of Object.entries({ queue, name })) {
      if (value !== null && typeof value !== 'string') throw bad(`${field} must be text`);
    }
    const filter = { olderThanMs, status, queue, name, limit: PURGED_AT_ONCE };
    const { length } = await (await this.#client()).purge(filter);
    return { purged: length, more: length === PURGED_AT_ONCE };
  }

  /**
   * @param {unknown} ids
   * @param {(client: CairnQ, id: string) => Promise<unknown>} act null says that the task was in no state for it
   */
  async #each(ids, act) {
    if (!areIds(ids)) throw bad(`ids must be 1 to ${TASKS_AT_ONCE} task ids`);
    const client = await this.#client();
    const answers = await Promise.all(ids.map((id) => act(client, id)));
    const done = answers.filter((task) => task !== null).length;
    return { done, unchanged: ids.length - done };
  }
}

/**
 * @param {unknown} ids
 * @returns {ids is string[]}
 */
function areIds(ids) {
  if (!Array.isArray(ids) || ids.length < 1 || ids.length > TASKS_AT_ONCE) return false;
  return ids.every((id) => typeof id === 'string');
}

/** @param {string} message */
function bad(message) {
  return new Refusal(400, 'bad_request', message);
}
