import pg from 'pg';
import { PostgresServer } from '../../__test__/support/postgres-server.js';
import { act } from './actor.js';

// A commit survives the program but does not wait for the disk, as on SQLite with WAL and synchronous = NORMAL: what is
// measured is the queue, not the disk's patience. With --durable every commit waits, as the server's default is.
const settings = { full_page_writes: 'on', synchronous_commit: 'on', max_connections: '200' };

/** Databases on one Postgres server: that of CAIRNQ_BENCH_PG_DSN, or one of the run's own. */
export class PostgresBench {
  name = 'postgres';
  #server = null;
  #admin;
  #templates = new Map();
  #serial = 0;

  /** @param {{ durable: boolean }} options */
  static async open({ durable }) {
    const bench = new PostgresBench();
    bench.dsn = process.env.CAIRNQ_BENCH_PG_DSN;
    if (!bench.dsn) {
      bench.#server = await PostgresServer.create({ ...settings, fsync: durable ? 'on' : 'off' });
      bench.dsn = bench.#server.dsn;
    }
    bench.#admin = new pg.Client({ connectionString: bench.dsn });
    await bench.#admin.connect();
    return bench;
  }

  store(target) {
    return { kind: 'postgres', target };
  }

  /** A database nothing is in yet. */
  async empty() {
    const name = this.#nextName();
    await this.#admin.query(`create database ${name}`);
    return this.#dsnOf(name);
  }

  /** @see SqliteBench.with */
  async with(filling, measure, { inPlace = false } = {}) {
    const template = await this.#template(filling);
    if (inPlace) return await measure(this.#dsnOf(template));
    const name = this.#nextName();
    await this.#admin.query(`create database ${name} template ${template}`);
    // What the copy left dirty is written before the measurement, not during it.
    await this.#admin.query('checkpoint');
    try {
      return await measure(this.#dsnOf(name));
    } finally {
      await this.#drop(name);
    }
  }

  async #template(filling) {
    const key = JSON.stringify(filling);
    let name = this.#templates.get(key);
    if (name === undefined) {
      name = this.#nextName();
      await this.#admin.query(`create database ${name}`);
      await act('actors/fill', { store: this.store(this.#dsnOf(name)), ...filling });
      await this.#vacuum(name);
      this.#templates.set(key, name);
    }
    return name;
  }

  /** Row visibility and statistics as autovacuum would have left them, for every contestant alike. */
  async #vacuum(name) {
    const client = new pg.Client({ connectionString: this.#dsnOf(name) });
    await client.connect();
    await client.query('vacuum analyze');
    await client.end();
  }

  async remove(target) {
    await this.#drop(new URL(target).pathname.slice(1));
  }

  async forget() {
    for (const name of this.#templates.values()) await this.#drop(name);
    this.#templates.clear();
  }

  async describe() {
    const settings = {};
    for (const name of ['server_version', 'fsync', 'synchronous_commit', 'shared_buffers']) {
      const { rows } = await this.#admin.query(`show ${name}`);
      settings[name] = rows[0][name];
    }
    return settings;
  }

  async close() {
    await this.forget();
    await this.#admin.end();
    await this.#server?.destroy();
  }

  #nextName() {
    this.#serial += 1;
    return `cairnq_bench_${process.pid}_${this.#serial}`;
  }

  #dsnOf(name) {
    const url = new URL(this.dsn);
    url.pathname = `/${name}`;
    return url.href;
  }

  async #drop(name) {
    await this.#admin.query(`drop database if exists ${name} with (force)`);
  }
}
