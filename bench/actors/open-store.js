import { PostgresStore, SQLiteStore } from '../../index.js';

/**
 * Our store on a database, with the options a user gets by giving none.
 * @param {{ kind: 'sqlite' | 'postgres', target: string }} store
 */
export function openStore({ kind, target }) {
  return kind === 'sqlite' ? new SQLiteStore(target) : new PostgresStore(target);
}
