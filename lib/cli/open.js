/**
 * Opening what a command works on. Nothing is made or migrated here but by `migrate`.
 *
 * @typedef {import('./main.js').Call} Call
 */
import { Inspector } from '../inspect/inspector.js';
import { shownTarget, storeOf } from '../inspect/target.js';
import { CliError, UNREACHABLE } from './exit.js';

/** Below this level the client's own statements miss their indexes. */
const LEAST_LEVEL = 6;

/**
 * Runs `work` on an inspector and closes it.
 *
 * @template T
 * @param {Call} call
 * @param {(inspector: Inspector) => Promise<T>} work
 */
export async function inspecting(call, work) {
  const inspector = await opened(call, () =>
    Inspector.open(call.target, { schema: call.values.schema, max: 4 }),
  );
  try {
    return await work(inspector);
  } finally {
    await inspector.close();
  }
}

/**
 * Runs `work` on a store for changes.
 *
 * @template T
 * @param {Call} call
 * @param {(store: import('../store.js').TaskStore) => Promise<T>} work
 */
export async function changing(call, work) {
  return await inspecting(call, async (inspector) => {
    const { schemaLevel } = await inspector.overview();
    if (schemaLevel < LEAST_LEVEL) {
      throw new CliError(
        UNREACHABLE,
        `the database is at schema level ${schemaLevel}, and ${LEAST_LEVEL} is needed: cairnq migrate TARGET`,
      );
    }
    return await work(inspector.store);
  });
}

/**
 * A store that makes and migrates its database to a level.
 *
 * @param {Call} call
 * @param {number} level
 */
export async function migrating(call, level) {
  const store = storeOf(call.target, { schema: call.values.schema, migrate: level, max: 2 });
  await opened(call, () => store.connect());
  await store.close();
}

/**
 * @template T
 * @param {Call} call
 * @param {() => Promise<T>} open
 */
export async function opened({ target }, open) {
  try {
    return await open();
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const code = /** @type {any} */ (error).code;
    const advice =
      code === 'CAIRNQ_NO_TABLES'
        ? ' (cairnq migrate TARGET makes them too)'
        : /unsupported startup parameter/.test(message)
          ? ' (a pooler is in the way: add pgbouncer=true to the DSN)'
          : '';
    const shown = shownTarget(target);
    const named = message.startsWith(shown) ? message : `${shown}: ${message}`;
    throw new CliError(UNREACHABLE, `cannot open ${named}${advice}`, { cause: error });
  }
}
