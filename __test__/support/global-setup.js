import { askedBackends } from './asked-backends.js';
import { dropDatabases } from './postgres-databases.js';
import { PostgresServer } from './postgres-server.js';

/** One server for the whole run, unless CAIRNQ_TEST_PG_DSN names one or Postgres is not asked for. */
export async function setup() {
  if (!askedBackends.includes('postgres')) return undefined;
  process.env.CAIRNQ_TEST_RUN = String(process.pid);
  const given = process.env.CAIRNQ_TEST_PG_DSN;
  if (given) return () => dropDatabases(given);
  const server = await PostgresServer.create();
  process.env.CAIRNQ_TEST_PG_DSN = server.dsn;
  return () => server.destroy();
}
