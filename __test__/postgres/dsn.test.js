import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CairnQ, PostgresStore } from '../../index.js';
import { rejection, within } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { PostgresServer } from '../support/postgres-server.js';
import { storeOn } from './reach.js';
import { TcpProxy } from './tcp-proxy.js';

const PASSWORD = "p@ss:w/o?r#d %41 'q\\uote";

/** A text in SQL, with every character escaped. */
function literal(text) {
  return `E'${[...text].map((character) => `\\x${character.codePointAt(0).toString(16)}`).join('')}'`;
}

onBackend('postgres', '11.1 data source names', (backend) => {
  let server;
  let home;
  const hba = `local all all trust
host all secretive 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
`;
  beforeAll(async () => {
    server = await PostgresServer.create({}, { 'pg_hba.conf': hba });
    home = mkdtempSync(path.join(tmpdir(), 'cairnq-home-'));
  }, 60_000);
  afterAll(async () => {
    await server?.destroy();
    rmSync(home, { recursive: true, force: true });
  });

  /** A stage on the server with a password; `connects` says as whom and how a DSN connects. */
  async function setUp() {
    const stage = await setStage(backend, { server: server.dsn });
    await stage.sql(`drop role if exists secretive`);
    await stage.sql(`create role secretive superuser login password ${literal(PASSWORD)}`);
    stage.atEnd(() => stage.sql('reassign owned by secretive to postgres; drop role secretive'));
    const connects = async (dsn, options) => {
      const store = storeOn(stage, dsn, options);
      await store.connect();
      const rows = await stage.sql(
        `select usename, application_name, client_addr::text as address from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and query !~ 'pg_stat_activity'
         order by backend_start desc limit 1`,
      );
      await store.close();
      return rows[0];
    };
    return { stage, connects, database: stage.world.database, port: server.port };
  }

  it('11.1 URLs of both schemes, with what node-postgres users write in them', async () => {
    const { connects, database, port } = await setUp();
    const at = `127.0.0.1:${port}/${database}`;
    const user = `secretive:${encodeURIComponent(PASSWORD)}`;
    expect(await connects(`postgres://${user}@${at}`)).toMatchObject({ usename: 'secretive' });
    expect(
      await connects(
        `postgresql://postgres@${at}?sslmode=disable&application_name=my%20app&connect_timeout=3`,
      ),
    ).toMatchObject({ usename: 'postgres', application_name: 'my app', address: '127.0.0.1/32' });
    expect(
      await connects(
        `postgres:///${database}?host=127.0.0.1&port=${port}&user=secretive&password=${encodeURIComponent(PASSWORD)}`,
      ),
    ).toMatchObject({ usename: 'secretive' });
  });

  it('11.1 a socket, in every way of writing one', async () => {
    const { connects, database, port } = await setUp();
    const bySocket = { usename: 'postgres', address: null };
    const folder = server.home;
    for (const dsn of [
      `postgres://postgres@/${database}?host=${folder}&port=${port}`,
      `postgres://postgres@${encodeURIComponent(folder)}:${port}/${database}`,
      `postgres://postgres@localhost:${port}/${database}?host=${encodeURIComponent(folder)}`,
      `host=${folder} port=${port} user=postgres dbname=${database}`,
      `host=${folder} port=${port} user=postgres dbname=${database} sslmode=require`,
    ]) {
      expect(await connects(dsn), dsn).toMatchObject(bySocket);
    }
  });

  it('11.1 libpq strings, with quotes and escapes', async () => {
    const { connects, database, port } = await setUp();
    const quoted = PASSWORD.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
    expect(
      await connects(
        `host = 127.0.0.1 port=${port} user='secretive' password='${quoted}' dbname=${database} application_name='a b'`,
      ),
    ).toMatchObject({ usename: 'secretive', application_name: 'a b' });
  });

  it('11.1 options reach the server: search_path, for one', async () => {
    const { stage, connects, database, port } = await setUp();
    await stage.sql('create schema elsewhere');
    const options = encodeURIComponent('-c search_path=elsewhere -c statement_timeout=30s');
    await connects(`postgres://postgres@127.0.0.1:${port}/${database}?options=${options}`);
    await connects(
      `host=127.0.0.1 port=${port} user=postgres dbname=${database} options='-c search_path=elsewhere'`,
    );
    const tables = await stage.sql(
      "select schemaname from pg_tables where tablename = 'cairnq_tasks'",
    );
    expect(tables).toEqual([{ schemaname: 'elsewhere' }]);
  });

  it('11.1 several hosts: the first that answers', async () => {
    const { connects, database, port } = await setUp();
    const nobody = await TcpProxy.to({ port });
    const dead = nobody.port;
    await nobody.close();
    const hosts = `127.0.0.1:${dead},127.0.0.1:${port}`;
    for (const query of ['', '?target_session_attrs=read-write']) {
      expect(await connects(`postgres://postgres@${hosts}/${database}${query}`)).toMatchObject({
        usename: 'postgres',
      });
    }
  });

  describe('in a process with variables', () => {
    /** Opens what `dsn` and the environment say, in a process of its own. */
    async function opens(stage, dsn, env) {
      const clean = Object.fromEntries(
        Object.keys(process.env)
          .filter((name) => name.startsWith('PG'))
          .map((name) => [name, '']),
      );
      const peer = stage.peer(
        'open-database.js',
        { target: { kind: 'postgres', dsn } },
        { env: { ...clean, HOME: home, ...env } },
      );
      await peer.event('ready');
      peer.send({});
      const { id } = await peer.event('opened');
      expect((await stage.row(id)).name).toBe('opened');
    }

    it('11.1 PG* variables fill in what the DSN leaves out', async () => {
      const { stage, database, port } = await setUp();
      const all = {
        PGHOST: '127.0.0.1',
        PGPORT: String(port),
        PGUSER: 'secretive',
        PGPASSWORD: PASSWORD,
        PGDATABASE: database,
      };
      await opens(stage, '', all);
      await opens(stage, 'postgres://', all);
      await opens(stage, `postgres://postgres@/${database}`, { ...all, PGDATABASE: 'nothing' });
      await opens(stage, `dbname=${database}`, { ...all, PGDATABASE: 'nothing' });
    });

    it('11.1 a password file', async () => {
      const { stage, database, port } = await setUp();
      const escaped = PASSWORD.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
      const file = path.join(home, 'passwords');
      writeFileSync(
        file,
        `# comment\nother:1:a:b:wrong\n127.0.0.1:${port}:*:secretive:${escaped}\n`,
      );
      chmodSync(file, 0o600);
      await opens(stage, `postgres://secretive@127.0.0.1:${port}/${database}`, {
        PGPASSFILE: file,
      });
    });
  });

  it('11.1 what cannot be meant is refused, without a word of the password', async () => {
    for (const dsn of [
      'mysql://user:hunter2@localhost/db',
      'postgres://user:hunter2@localhost:notaport/db',
      'postgres://user:hunter2@localhost/db?sslmode=sometimes',
      'pasword=hunter2 host=localhost',
      "host=localhost password='hunter2",
    ]) {
      const error = await rejection(new PostgresStore(dsn).connect());
      expect(error.message, dsn).toMatch(/connection string|sslmode|port/);
      expect(error.message).not.toContain('hunter2');
    }
  });

  it('11.1 a wrong password, database or server is an error that says which', async () => {
    const { stage, database, port } = await setUp();
    const wrong = storeOn(stage, `postgres://secretive:no@127.0.0.1:${port}/${database}`);
    expect(await rejection(wrong.connect())).toMatchObject({ code: '28P01' });
    const missing = storeOn(stage, `postgres://postgres@127.0.0.1:${port}/no_such_database`);
    expect(await rejection(missing.connect())).toMatchObject({ code: '3D000' });
    const proxy = await TcpProxy.to({ port });
    await proxy.close();
    const gone = storeOn(stage, `postgres://postgres@127.0.0.1:${proxy.port}/${database}`);
    expect((await rejection(gone.connect())).message).toContain(`127.0.0.1:${proxy.port}`);
    // A failed open is forgotten: the next use tries again.
    const revived = await TcpProxy.to({ port });
    stage.atEnd(() => revived.close());
    await revived.cut();
    const store = storeOn(stage, revived.through(stage.world.dsn));
    await rejection(store.connect());
    await revived.restore();
    await store.connect();
  });

  it('11.1 a server that accepts and says nothing is given up after connect_timeout', async () => {
    const { stage, database } = await setUp();
    const proxy = await TcpProxy.to({ port: server.port });
    stage.atEnd(() => proxy.close());
    proxy.freeze();
    const store = storeOn(
      stage,
      `postgres://postgres@127.0.0.1:${proxy.port}/${database}?connect_timeout=2`,
    );
    const error = await within(8000, rejection(store.connect()), 'connect');
    expect(error.message).toMatch(/did not answer|timed? ?out/i);
  });

  it('11.1 the pool holds at most max connections, with one more each for LISTEN and heartbeats', async () => {
    const stage = await setStage(backend);
    for (const [max, bound] of [
      [undefined, 10],
      [3, 3],
      [1, 1],
    ]) {
      const name = `pool-${max}`;
      const store = storeOn(stage, `${stage.world.dsn}?application_name=${name}`, { max });
      const client = new CairnQ(store);
      const options = { store, concurrency: 50, leaseMs: 3000, heartbeatIntervalMs: 100 };
      const worker = stage.run({ quick: () => {} }, options);
      const submits = Array.from({ length: 200 }, (_, i) =>
        client.submit('quick', null, { key: `${name}-${i}` }),
      );
      let most = 0;
      const watch = async () => {
        const [{ n }] = await stage.sql(
          'select count(*) as n from pg_stat_activity where application_name = ?',
          [name],
        );
        most = Math.max(most, n);
      };
      const ended = Promise.all(submits.map(async (submit) => client.wait((await submit).id)));
      let over = false;
      ended.finally(() => {
        over = true;
      });
      while (!over) await watch();
      await ended;
      worker.stop();
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(bound + 2);
    }
  });
});
