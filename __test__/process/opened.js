/** Opens the product on the database that the test names. */
import { CairnQ, PostgresStore, SQLiteStore, Worker } from '@cairnq/native';
import { config } from './lines.js';

export function openStore(options = {}) {
  const { kind, path, dsn } = config.target;
  return kind === 'sqlite' ? new SQLiteStore(path, options) : new PostgresStore(dsn, options);
}

export function openClient(options = {}, store = openStore()) {
  return new CairnQ(store, options);
}

export function openWorker(options = {}, store = openStore()) {
  return new Worker(store, config.queues ?? ['default'], { pollIntervalMs: 50, ...options });
}
