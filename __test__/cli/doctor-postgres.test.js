import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { postgresFindings } from '../../lib/cli/doctor/postgres.js';
import { missing as noPooler, startPgbouncer } from '../postgres/pgbouncer.js';
import { skewedClock } from '../postgres/skewed-clock.js';
import { onBackend } from '../spec/stage.js';
import { PostgresServer } from '../support/postgres-server.js';
import { until } from '../support/until.js';
import { findings, sound } from './examined.js';
import { cairnq } from './run.js';

const clock = skewedClock();
afterAll(() => clock.remove?.());

onBackend('postgres', 'doctor and the server', (backend) => {
  it('finds a trigger that is off, or gone', async () => {
    const { stage, target } = await sound(backend);
    await stage.sql('alter table cairnq_tasks disable trigger cairnq_tasks_notify');
    const off = await findings(target);
    expect([off.ids, off.of('trigger').title]).toEqual([
      ['trigger'],
      'the trigger cairnq_tasks_notify is disabled',
    ]);
    await stage.sql('drop trigger cairnq_tasks_notify on cairnq_tasks');
    expect((await findings(target)).of('trigger').title).toContain('missing');
  });

  it('hears its own announcement, in a schema of its own too', async () => {
    const { store, target } = await sound(backend, { store: { schema: 'own' } });
    await store.close();
    expect((await findings(target, ['--schema', 'own'])).ids).toEqual([]);
  });

  it('finds that a pooler keeps announcements from arriving', {
    skip: Boolean(noPooler),
  }, async () => {
    const { stage, target } = await sound(backend);
    const pooler = await startPgbouncer(process.env.CAIRNQ_TEST_PG_DSN, 4, [
      'ignore_startup_parameters = extra_float_digits',
    ]);
    stage.atEnd(() => pooler.stop());
    const through = new URL(pooler.through(target));
    const said = await findings(through.href);
    expect([said.ids, said.of('pooler').severity]).toEqual([[], 'note']);
    through.searchParams.delete('pgbouncer');
    const found = await findings(through.href);
    expect(found.ids).toEqual(['listener']);
    expect(found.of('listener').remedy).toContain('pgbouncer=true');
  });

  it('says what to do when a pooler refuses the connection', {
    skip: Boolean(noPooler),
  }, async () => {
    const { stage, target } = await sound(backend);
    const pooler = await startPgbouncer(process.env.CAIRNQ_TEST_PG_DSN, 2);
    stage.atEnd(() => pooler.stop());
    const through = new URL(pooler.through(target));
    through.searchParams.delete('pgbouncer');
    const { code, err } = await cairnq(['doctor', through.href]);
    expect(code).toBe(3);
    expect(err).toContain('a pooler is in the way: add pgbouncer=true to the DSN');
  });

  it('finds dead rows and a vacuum that is off', async () => {
    const { stage, store, target } = await sound(backend);
    await stage.sql('alter table cairnq_tasks set (autovacuum_enabled = off)');
    await store.submitMany(
      Array.from({ length: 6_000 }, () => ({ name: 'x', runAtDelayMs: 600_000 })),
    );
    for (let i = 0; i < 2; i++) await stage.sql('update cairnq_tasks set priority = priority + 1');
    await store.close();
    await until(async () => {
      const [row] = await stage.sql(
        "select n_dead_tup as dead from pg_stat_user_tables where relname = 'cairnq_tasks'",
      );
      return row.dead > 10_000;
    });
    const found = await findings(target);
    expect(found.ids).toEqual(expect.arrayContaining(['autovacuum', 'dead-rows']));
    expect(found.of('dead-rows').facts.table).toBe('cairnq_tasks');
  });

  it('finds transactions that hold vacuum back', async () => {
    const { stage, target } = await sound(backend);
    const connection = await stage.world.connection();
    await connection.sql('begin');
    const [{ pid }] = await connection.sql('select pg_backend_pid() as pid');
    expect((await findings(target)).ids).toEqual([]);
    const found = await findings(target, ['--transaction', '1ms']);
    expect(found.ids).toEqual(['long-transactions']);
    expect(found.of('long-transactions').facts.sessions.map(({ id }) => id)).toContain(String(pid));
    await connection.sql('rollback');
  });

  it('finds a role that may not work here, and a database that takes no writes', async () => {
    const { stage, target } = await sound(backend);
    const role = `reader_${stage.world.database}`;
    await stage.sql(`create role ${role} login`);
    try {
      await stage.sql(`grant select on all tables in schema public to ${role}`);
      const asReader = new URL(target);
      asReader.username = role;
      const found = await findings(asReader.href);
      expect(found.ids).toEqual(['permissions']);
      expect(found.of('permissions').title).toBe(`the role ${role} may not insert, update, delete`);
      expect(found.unknown.join()).toContain('pg_read_all_stats');
    } finally {
      await stage.sql(`drop owned by ${role}`);
      await stage.sql(`drop role ${role}`);
    }
    const { database } = stage.world;
    await stage.sql(`alter database ${database} set default_transaction_read_only = on`);
    expect((await findings(target)).ids).toContain('read-only');
  });

  it('finds an index that Postgres does not use', async () => {
    const { stage, target } = await sound(backend);
    await stage.sql(
      "update pg_index set indisvalid = false where indexrelid = 'cairnq_tasks_root_idx'::regclass",
    );
    const found = await findings(target);
    expect(found.ids).toEqual(['index-invalid']);
    expect(found.of('index-invalid').remedy).toBe(
      'reindex index concurrently cairnq_tasks_root_idx;',
    );
  });

  it('finds that nearly all connections are taken', async () => {
    const server = await PostgresServer.create({ max_connections: '12' });
    const held = [];
    try {
      expect((await cairnq(['migrate', server.dsn, '--yes'])).code).toBe(0);
      for (let i = 0; i < 10; i++) {
        const client = new pg.Client(server.dsn);
        client.on('error', () => {});
        held.push(client);
        await client.connect();
      }
      expect((await findings(server.dsn)).ids).toContain('connections');
    } finally {
      await Promise.all(held.map((client) => client.end()));
      await server.destroy();
    }
  });

  it('finds clocks that differ', { skip: Boolean(clock.missing) }, async () => {
    const { target } = await sound(backend);
    const { out, code } = await cairnq(['doctor', target, '--json', '--wait', '1ms'], {
      env: clock.env(300),
    });
    expect(code).toBe(1);
    const found = JSON.parse(out).findings.find(({ id }) => id === 'clock');
    expect(found.title).toMatch(/^the server's clock is (4 m|5 m).* behind this host's$/);
  });
});

it('a listener that hears nothing is a problem, and one that could not be tried is none', () => {
  const none = { rows: [] };
  const facts = {
    storage: none,
    statistics: none,
    sessions: none,
    trigger: { rows: [{ enabled: 'O' }] },
    clock: { aheadMs: 0, uncertaintyMs: 1 },
  };
  const ids = (listening) => postgresFindings(facts, listening).map(({ id }) => id);
  expect(ids({ pooler: false, heard: false })).toEqual(['listener']);
  expect(ids({ pooler: false, heard: true })).toEqual([]);
  expect(ids({ pooler: false, heard: null })).toEqual([]);
});
