import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { act } from './actor.js';

/** SQLite files in a directory of the run's own. */
export class SqliteBench {
  name = 'sqlite';
  #home;
  #templates = new Map();
  #serial = 0;

  static async open() {
    const bench = new SqliteBench();
    bench.#home = await mkdtemp(
      path.join(process.env.CAIRNQ_BENCH_DIR ?? tmpdir(), 'cairnq-bench-'),
    );
    return bench;
  }

  /** What an actor needs to open our store on a database. */
  store(target) {
    return { kind: 'sqlite', target };
  }

  /** A path nothing lies at yet. */
  empty() {
    this.#serial += 1;
    return path.join(this.#home, `${this.#serial}.db`);
  }

  /**
   * Runs a measurement on a database filled as described. The same filling is made once; each measurement gets a copy
   * that is removed afterwards, or with `inPlace` the original, for one that is large and hardly changed.
   * @template T
   * @param {object} filling parameters of actors/fill
   * @param {(target: string) => Promise<T>} measure
   * @param {{ inPlace?: boolean }} [options]
   * @returns {Promise<T>}
   */
  async with(filling, measure, { inPlace = false } = {}) {
    const template = await this.#template(filling);
    if (inPlace) return await measure(template);
    const target = this.empty();
    await cp(template, target);
    try {
      return await measure(target);
    } finally {
      await this.remove(target);
    }
  }

  async #template(filling) {
    const key = JSON.stringify(filling);
    let template = this.#templates.get(key);
    if (template === undefined) {
      template = this.empty();
      await act('actors/fill', { store: this.store(template), ...filling });
      this.#templates.set(key, template);
    }
    return template;
  }

  async remove(target) {
    for (const suffix of ['', '-wal', '-shm']) await rm(target + suffix, { force: true });
  }

  /** Lets go of the fillings made so far: the large ones are not to fill the disk. */
  async forget() {
    for (const template of this.#templates.values()) await this.remove(template);
    this.#templates.clear();
  }

  async describe() {
    return { journal: 'WAL', synchronous: 'NORMAL' };
  }

  async close() {
    await rm(this.#home, { recursive: true, force: true });
  }
}
