import pg from 'pg';

// Creating a database copies some three hundred files, so a test process empties the ones it has and uses
// them again.

/** The prefix of every database of this run, by which the global teardown finds them. */
export const databasePrefix = () => `cairnq_test_${process.env.CAIRNQ_TEST_RUN ?? 'manual'}_`;

/** @type {Map<string, string[]>} names by server */
const idle = new Map();
let serial = 0;

const emptied = `
do $$
declare name text;
begin
  perform pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid();
  for name in select nspname from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'
  loop
    execute format('drop schema %I cascade', name);
  end loop;
  execute format('alter database %I reset all', current_database());
end $$;
create schema public authorization pg_database_owner;
grant usage on schema public to public;`;

/**
 * The DSN of an empty database on the run's server.
 * @param {string} server its DSN
 */
export async function takeDatabase(server) {
  const database = idle.get(server)?.pop() ?? (await createDatabase(server));
  const url = new URL(server);
  url.pathname = `/${database}`;
  return { server, database, dsn: url.href };
}

/** Empties a database for the next test; one that cannot be emptied is not used again. */
export async function giveBack({ server, database, dsn }) {
  await run(dsn, emptied);
  idle.set(server, [...(idle.get(server) ?? []), database]);
}

/** Removes what the run's processes left on a server that outlives the run. */
export async function dropDatabases(server) {
  await run(server, async (client) => {
    const { rows } = await client.query(
      'select datname from pg_database where starts_with(datname, $1)',
      [databasePrefix()],
    );
    for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`);
  });
}

async function createDatabase(server) {
  serial += 1;
  const database = `${databasePrefix()}${process.pid}_${serial}`;
  await run(server, `create database ${database} strategy file_copy`);
  return database;
}

/** @param {string} dsn @param {string | ((client: pg.Client) => Promise<void>)} work */
async function run(dsn, work) {
  // A test may have left the database read-only.
  const options = '-c default_transaction_read_only=off';
  const client = new pg.Client({ connectionString: dsn, options });
  await client.connect();
  try {
    if (typeof work === 'string') await client.query(work);
    else await work(client);
  } finally {
    await client.end();
  }
}
