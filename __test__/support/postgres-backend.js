import pg from 'pg';
import { PostgresStore } from '../../index.js';
import { giveBack, takeDatabase } from './postgres-databases.js';
import { World } from './world.js';

// Both databases hand JSON over as text and counts as numbers, so that one assertion serves both.
const types = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.JSONB || oid === pg.types.builtins.JSON) return String;
    if (oid === pg.types.builtins.INT8) return Number;
    return pg.types.getTypeParser(oid, format);
  },
};

/**
 * An empty database, on the run's server unless the test has one of its own.
 * @param {{ store?: object, server?: string }} [options] `store` goes to every store opened on it
 */
export async function openPostgres({
  store: storeOptions,
  server = process.env.CAIRNQ_TEST_PG_DSN,
} = {}) {
  if (!server) throw new Error('no Postgres server: the global setup should have started one');
  const taken = await takeDatabase(server);
  const { dsn, database } = taken;
  const connections = new pg.Pool({ connectionString: dsn, max: 2, types });
  connections.on('error', () => {}); // tests cut connections; the next query reports what matters

  const world = new World({
    name: 'postgres',
    target: { kind: 'postgres', dsn },
    openStore: (options) => new PostgresStore(dsn, { ...storeOptions, ...options }),
    peek: async (text, params) => (await connections.query(numbered(text), params)).rows,
    openConnection: () => openClient(dsn),
    dispose: async () => {
      await connections.end();
      await giveBack(taken);
    },
  });
  return Object.assign(world, { dsn, database });
}

async function openClient(dsn) {
  const client = new pg.Client({ connectionString: dsn, types });
  client.on('error', () => {});
  await client.connect();
  return {
    sql: async (text, params = []) => (await client.query(numbered(text), params)).rows,
    close: () => client.end(),
  };
}

function numbered(text) {
  let n = 0;
  return text.replaceAll('?', () => `$${++n}`);
}
