// Fresh databases for the long runs, on a server of their own where there is one.

import { PostgresServer } from '../__test__/support/postgres-server.js';

/**
 * @param {string} name
 * @returns {Promise<{ database: () => Promise<import('../__test__/support/world.js').World>, end: () => Promise<void> }>}
 */
export async function backendNamed(name) {
  if (name === 'sqlite') {
    const { openSqlite } = await import('../__test__/support/sqlite-backend.js');
    return { database: openSqlite, end: async () => {} };
  }
  if (name !== 'postgres') throw new Error(`--backend is sqlite or postgres, not ${name}`);
  const server = await PostgresServer.create();
  process.env.CAIRNQ_TEST_PG_DSN = server.dsn;
  const { openPostgres } = await import('../__test__/support/postgres-backend.js');
  return { database: openPostgres, end: () => server.destroy() };
}
