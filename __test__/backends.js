import { describe } from 'vitest';
import { askedBackends } from './support/asked-backends.js';
import { openPostgres } from './support/postgres-backend.js';
import { openSqlite } from './support/sqlite-backend.js';

/**
 * The databases of this run. `open(options)` gives a World (support/world.js) on a fresh database:
 * `{ store, newStore, client, worker, sql, connection, target, close }`.
 */
export const backends = [
  { name: 'sqlite', open: openSqlite },
  { name: 'postgres', open: openPostgres },
].filter((backend) => askedBackends.includes(backend.name));

/**
 * One suite per database. The name in brackets is what the closing count per backend goes by.
 * @param {string} title
 * @param {(backend: (typeof backends)[number]) => void} body
 */
export function onEveryBackend(title, body) {
  for (const backend of backends) describe(`${title} [${backend.name}]`, () => body(backend));
}
