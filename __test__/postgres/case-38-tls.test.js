import { spawnSync } from 'node:child_process';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CairnQ, PostgresStore, Worker } from '../../index.js';
import { onBackend } from '../spec/stage.js';
import { PostgresServer } from '../support/postgres-server.js';
import { Certificates, missing } from './certificates.js';

if (missing) console.warn(`case 38 skipped: ${missing}`);

/** The version of libpq's own client, where there is one: it is asked the same. */
const psql = Number(
  /(\d+)/.exec(spawnSync('psql', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? 0,
);

/** How the one connection of the store under test is protected, as the server sees it. */
async function protection(server) {
  const client = new pg.Client({
    host: server.home,
    port: server.port,
    user: 'postgres',
    database: 'postgres',
  });
  await client.connect();
  try {
    const { rows } = await client.query(
      "select s.ssl from pg_stat_ssl s join pg_stat_activity a using (pid) where a.application_name = 'case-38'",
    );
    expect(rows.length).toBeGreaterThan(0);
    return rows.every(({ ssl }) => ssl) ? 'encrypted' : 'plain';
  } finally {
    await client.end();
  }
}

/** What libpq does with each sslmode; a failure is what its error says. */
const REFUSED = /certificate|UnknownIssuer|unknown ?issuer|not valid for|NotValidForName|TLS|SSL/i;

describe.skipIf(missing)(`TLS${missing ? ` (skipped: ${missing})` : ''}`, () => {
  onBackend('postgres', 'case 38: sslmode means what libpq says', () => {
    const tls = missing ? undefined : new Certificates();
    const roots = {};
    const servers = {};

    beforeAll(async () => {
      const ours = tls.authority('ours');
      const strangers = tls.authority('strangers');
      const right = tls.signed(ours, 'localhost', 'DNS:localhost,IP:127.0.0.1');
      const named = tls.signed(ours, 'named', 'DNS:db.example');
      const itself = tls.selfSigned('itself', 'DNS:localhost');
      const files = ({ key, certificate }, hba) => ({
        'server.key': key,
        'server.crt': certificate,
        ...(hba && { 'pg_hba.conf': hba }),
      });
      const on = { ssl: 'on' };
      const encryptedOnly = 'local all all trust\nhostssl all all 127.0.0.1/32 trust\n';
      [servers.right, servers.named, servers.itself, servers.plain, servers.only] =
        await Promise.all([
          PostgresServer.create(on, files(right)),
          PostgresServer.create(on, files(named)),
          PostgresServer.create(on, files(itself)),
          PostgresServer.create(),
          PostgresServer.create(on, files(right, encryptedOnly)),
        ]);
      Object.assign(roots, {
        none: {},
        ours: { sslrootcert: ours.file },
        strangers: { sslrootcert: strangers.file },
        itself: { sslrootcert: itself.file },
        absent: { sslrootcert: '/nowhere/root.crt' },
        'ours at home': { HOME: tls.home(ours) },
        'strangers at home': { HOME: tls.home(strangers) },
        system: { sslrootcert: 'system' },
        'system trusts ours': { sslrootcert: 'system', SSL_CERT_FILE: ours.file },
        'strangers, system trusts ours': {
          sslrootcert: strangers.file,
          SSL_CERT_FILE: ours.file,
        },
      });
    }, 120_000);
    afterAll(async () => {
      await Promise.all(Object.values(servers).map((server) => server.destroy()));
      tls?.remove();
    });

    /** A port where nothing listens is given as the first of two hosts' ports. */
    const NOBODY = 1;

    /** The string libpq and we get, and the variables it is read under. */
    function asked(server, sslmode, root, [host, hostaddr]) {
      const { sslrootcert, ...variables } = roots[root];
      const port = servers[server].port;
      const keywords = {
        host,
        hostaddr,
        port: (host ?? hostaddr).includes(',') ? `${NOBODY},${port}` : port,
        user: 'postgres',
        dbname: 'postgres',
        application_name: 'case-38',
        sslmode,
        sslrootcert,
      };
      const given = Object.entries(keywords).filter(([, value]) => value !== undefined);
      const dsn = given.map(([keyword, value]) => `${keyword}='${value}'`).join(' ');
      return { dsn, variables: { HOME: tls.emptyHome, ...variables } };
    }

    /** `encrypted`, `plain`, or the error of connecting. */
    async function connect(server, ...rest) {
      const { dsn, variables } = asked(server, ...rest);
      const before = { HOME: process.env.HOME, SSL_CERT_FILE: process.env.SSL_CERT_FILE };
      Object.assign(process.env, variables);
      const store = new PostgresStore(dsn);
      try {
        await store.connect();
        return await protection(servers[server]);
      } catch (error) {
        return error;
      } finally {
        await store.close();
        for (const [name, value] of Object.entries(before)) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
      }
    }

    // server, sslmode, root, [host, hostaddr] -> outcome
    const localhost = ['localhost'];
    const loopback = ['127.0.0.1'];
    const cases = [
      ['right', 'disable', 'none', localhost, 'plain'],
      ['right', 'allow', 'none', localhost, 'plain'],
      ['right', 'allow', 'strangers', localhost, 'plain'],
      ['right', 'prefer', 'none', localhost, 'encrypted'],
      ['right', 'prefer', 'ours', localhost, 'encrypted'],
      ['right', 'prefer', 'strangers', localhost, 'plain'],
      ['right', 'require', 'none', localhost, 'encrypted'],
      ['right', 'require', 'ours', localhost, 'encrypted'],
      ['right', 'require', 'strangers', localhost, REFUSED],
      ['right', 'require', 'absent', localhost, 'encrypted'],
      ['right', 'require', 'ours at home', localhost, 'encrypted'],
      ['right', 'require', 'strangers at home', localhost, REFUSED],
      ['right', 'verify-ca', 'none', localhost, /root certificate/],
      ['right', 'verify-ca', 'absent', localhost, /does not exist/],
      ['right', 'verify-ca', 'ours', localhost, 'encrypted'],
      ['right', 'verify-ca', 'strangers', localhost, REFUSED],
      ['right', 'verify-ca', 'strangers, system trusts ours', localhost, REFUSED],
      ['right', 'verify-ca', 'system', localhost, /verify-full|system/],
      ['right', 'verify-full', 'ours', localhost, 'encrypted'],
      ['right', 'verify-full', 'ours', loopback, 'encrypted'],
      ['right', 'verify-full', 'ours at home', localhost, 'encrypted'],
      ['right', 'verify-full', 'strangers', localhost, REFUSED],
      ['right', 'verify-full', 'strangers, system trusts ours', localhost, REFUSED],
      ['right', 'verify-full', 'system', localhost, REFUSED],
      ['right', 'verify-full', 'system trusts ours', localhost, 'encrypted'],
      ['named', 'disable', 'ours', localhost, 'plain'],
      ['named', 'prefer', 'none', localhost, 'encrypted'],
      ['named', 'require', 'none', localhost, 'encrypted'],
      ['named', 'require', 'ours', localhost, 'encrypted'],
      ['named', 'verify-ca', 'ours', localhost, 'encrypted'],
      ['named', 'verify-ca', 'ours', [undefined, '127.0.0.1'], 'encrypted'],
      ['named', 'verify-full', 'ours', localhost, REFUSED],
      ['named', 'verify-full', 'ours', loopback, REFUSED],
      ['named', 'verify-full', 'ours', ['db.example', '127.0.0.1'], 'encrypted'],
      ['named', 'verify-full', 'ours', ['other.example', '127.0.0.1'], REFUSED],
      ['named', 'verify-full', 'ours', [undefined, '127.0.0.1'], REFUSED],
      [
        'named',
        'verify-full',
        'ours',
        ['other.example,db.example', '127.0.0.1,127.0.0.1'],
        'encrypted',
      ],
      [
        'named',
        'verify-full',
        'ours',
        ['db.example,other.example', '127.0.0.1,127.0.0.1'],
        REFUSED,
      ],
      ['itself', 'prefer', 'none', localhost, 'encrypted'],
      ['itself', 'require', 'itself', localhost, 'encrypted'],
      ['itself', 'verify-ca', 'itself', loopback, 'encrypted'],
      ['itself', 'verify-ca', 'ours', localhost, REFUSED],
      ['itself', 'verify-full', 'itself', localhost, 'encrypted'],
      ['itself', 'verify-full', 'itself', loopback, REFUSED],
      ['plain', 'disable', 'none', localhost, 'plain'],
      ['plain', 'allow', 'none', localhost, 'plain'],
      ['plain', 'prefer', 'none', localhost, 'plain'],
      ['plain', 'prefer', 'ours', localhost, 'plain'],
      ['plain', 'require', 'none', localhost, /TLS|SSL/i],
      ['plain', 'verify-full', 'ours', localhost, /TLS|SSL/i],
      ['only', 'disable', 'none', loopback, /no encryption|pg_hba/],
      ['only', 'allow', 'none', loopback, 'encrypted'],
      ['only', 'allow', 'strangers', loopback, REFUSED],
      ['only', 'prefer', 'none', loopback, 'encrypted'],
      ['only', 'prefer', 'strangers', loopback, /no encryption|pg_hba/],
      ['only', 'require', 'none', loopback, 'encrypted'],
    ];

    it.each(cases)('case 38 %s server, sslmode=%s, root %s, host %s', async (...row) => {
      const outcome = row.pop();
      const got = await connect(...row);
      if (typeof outcome === 'string') expect(got).toBe(outcome);
      else {
        expect(got).toBeInstanceOf(Error);
        expect(got.message).toMatch(outcome);
      }
    });

    it('case 38 tasks and wake-ups travel over a connection whose certificate was checked', async () => {
      const { dsn } = asked('right', 'verify-full', 'ours', localhost);
      const worker = Worker.postgres(dsn, { pollIntervalMs: 60_000 });
      worker.task('secured', (_ctx, payload) => payload);
      const running = worker.run();
      const client = CairnQ.postgres(dsn);
      const outsider = new pg.Client({ connectionString: servers.right.dsn });
      await outsider.connect();
      try {
        const large = 'x'.repeat(3_000_000);
        expect(await client.call('secured', { large })).toEqual({ large });
        // Only a notification tells of this one in time.
        await outsider.query(`
          insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms)
          values ('told', 'secured', 'default', 'queued', '1', 0, 0, 0)`);
        expect((await client.wait('told', { timeoutMs: 20_000 })).result).toBe(1);
      } finally {
        worker.stop();
        await running;
        await worker.close();
        await client.close();
        await outsider.end();
      }
    });

    // `system` means the file of that name before libpq 16.
    const libpqKnows = ([, , root]) => !root.startsWith('system') || psql >= 16;

    it.skipIf(!psql).each(cases.filter(libpqKnows))(
      `case 38 libpq itself (psql ${psql || 'is not installed, skipped'}): %s server, sslmode=%s, root %s, host %s`,
      (...row) => {
        const outcome = row.pop();
        const { dsn, variables } = asked(...row);
        const question =
          "select case when ssl then 'encrypted' else 'plain' end from pg_stat_ssl where pid = pg_backend_pid()";
        const { status, stdout } = spawnSync('psql', ['-Xwd', dsn, '-Atc', question], {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, ...variables },
        });
        expect(status === 0 ? stdout.trim() : 'refused').toBe(
          typeof outcome === 'string' ? outcome : 'refused',
        );
      },
    );
  });
});
