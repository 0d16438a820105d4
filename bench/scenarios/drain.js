import { drainOnPostgres } from './drain-postgres.js';
import { drainOnSqlite } from './drain-sqlite.js';

export const name = 'drain';
export const title = 'Drain of queued no-op tasks, 20 B payloads, default options';
export const backends = ['sqlite', 'postgres'];
export const quick = ['sqlite', 'postgres'];

export async function run(bench, backend) {
  await (backend.name === 'sqlite' ? drainOnSqlite : drainOnPostgres)(bench, backend);
}
