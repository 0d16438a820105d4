import { payloadOf } from '../harness/payloads.js';
import { fillPostgres } from './fill-postgres.js';
import { openStore } from './open-store.js';

const CHUNK = 10_000;
const CHUNK_BYTES = 32 * 1024 * 1024;
/** From here on submitting takes too long on Postgres. */
const LARGE = 100_000;

/**
 * Migrates a database and leaves tasks in it.
 * @param {{ store: object, name?: string, groups?: Group[] }} params
 * @typedef {{ tasks: number, payloadBytes?: number, queue?: string, delayMs?: number, finished?: boolean,
 *   keyed?: boolean }} Group
 */
export async function run({ store: where, name = 'noop', groups = [] }) {
  const store = openStore(where);
  await store.connect();
  for (const group of groups) {
    const inBulk = where.kind === 'postgres' && (group.finished || group.tasks >= LARGE);
    if (inBulk) await fillPostgres(where.target, name, group);
    else await fill(store, name, group);
  }
  await store.close();
  return {};
}

async function fill(store, name, group) {
  const { tasks, payloadBytes = 20, queue = 'default', delayMs = 0, finished, keyed } = group;
  const payload = payloadOf(payloadBytes);
  const chunk = Math.max(1, Math.min(CHUNK, Math.floor(CHUNK_BYTES / payloadBytes)));
  for (let done = 0; done < tasks; done += chunk) {
    const count = Math.min(chunk, tasks - done);
    const inputs = Array.from({ length: count }, (_, index) => ({
      name,
      payload,
      queue,
      runAtDelayMs: delayMs,
      ...(keyed && { key: `${queue}:${done + index}` }),
    }));
    const rows = await store.submitMany(inputs);
    if (finished) await cancelAll(store, rows);
  }
}

/** The shortest way to a terminal row that is the client's to go. */
async function cancelAll(store, rows) {
  for (let at = 0; at < rows.length; at += 1000) {
    await Promise.all(rows.slice(at, at + 1000).map(({ id }) => store.cancel(id)));
  }
}
