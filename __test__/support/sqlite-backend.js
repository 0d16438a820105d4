import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SQLiteStore } from '../../index.js';
import { ForeignSqlite } from './foreign-sqlite.js';
import { World } from './world.js';

/** @type {ForeignSqlite | undefined} */
let shared;

/**
 * A new file in a directory of its own.
 * @param {{ file?: string, store?: object }} [options] `store` goes to every store opened on it
 */
export async function openSqlite({ file = 'tasks.db', store: storeOptions } = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'cairnq-test-'));
  const dbPath = path.join(directory, file);
  const world = new World({
    name: 'sqlite',
    target: { kind: 'sqlite', path: dbPath },
    openStore: (options) => new SQLiteStore(dbPath, { ...storeOptions, ...options }),
    peek: (text, params) => {
      shared ??= new ForeignSqlite();
      return shared.once(dbPath, text, params);
    },
    openConnection: () => new ForeignSqlite().open(dbPath),
    dispose: () => rm(directory, { recursive: true, force: true }),
  });
  return Object.assign(world, { path: dbPath, directory });
}
