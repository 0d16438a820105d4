/** pgbouncer in transaction mode in front of a server, where the machine has it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const nobody = { uid: 65534, gid: 65534 };
const asRoot = process.getuid?.() === 0;

function find() {
  for (const file of ['pgbouncer', '/usr/sbin/pgbouncer']) {
    try {
      execFileSync(file, ['--version'], { stdio: 'pipe' });
      return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

const program = find();

/** Why there is no pgbouncer, if there is none. */
export const missing = program ? undefined : 'pgbouncer is not installed';

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/**
 * Starts one with `poolSize` server connections per database.
 * @param {string} server the DSN of any database on the server
 * @param {string[]} [extraSettings] further lines of its settings
 * @returns `{ through(dsn), stop() }`
 */
export async function startPgbouncer(server, poolSize, extraSettings = []) {
  const { hostname, port: serverPort } = new URL(server);
  const home = mkdtempSync(path.join(tmpdir(), 'cairnq-pgbouncer-'));
  const port = await freePort();
  const users = path.join(home, 'users.txt');
  const settings = path.join(home, 'pgbouncer.ini');
  writeFileSync(users, '"postgres" ""\n');
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
${extraSettings.join('\n')}
`,
  );
  if (asRoot) for (const file of [home, users, settings]) chownSync(file, nobody.uid, nobody.gid);
  const child = spawn(program, [settings], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(asRoot && nobody),
  });
  let said = '';
  const up = new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said = (said + chunk).slice(-8192);
        if (said.includes('process up')) resolve(undefined);
      });
    }
    child.once('exit', (code) => reject(new Error(`pgbouncer ended (${code}):\n${said}`)));
  });
  await up;
  return {
    through(dsn) {
      const url = new URL(dsn);
      url.hostname = '127.0.0.1';
      url.port = String(port);
      url.searchParams.set('pgbouncer', 'true');
      return url.href;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGQUIT');
        await once(child, 'exit');
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}
