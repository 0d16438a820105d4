/**
 * The schema's levels: which file of the shared ledger leads where, and what it does. The files lie in
 * protocol/migrations; a test holds this list against them.
 */
export const DEFAULT_LEVEL = 6;
export const LATEST_LEVEL = 10;

/** @type {{ name: string, level: number, effect: string, postgresOnly?: true }[]} */
export const MIGRATIONS = [
  { name: '0001_init.sql', level: 1, effect: 'the tables, and the indexes of claims and lists' },
  { name: '0002_purge_index.sql', level: 2, effect: 'an index by completion, for purges' },
  {
    name: '0003_notify.sql',
    level: 3,
    effect: 'the trigger that tells workers and waiters',
    postgresOnly: true,
  },
  { name: '0004_lease_index.sql', level: 4, effect: 'an index of running leases' },
  {
    name: '0005_clear_terminal_lease.sql',
    level: 5,
    effect: 'clears leases of tasks that do not run',
  },
  { name: '0006_claim_name_index.sql', level: 6, effect: 'an index of claims by name' },
  { name: '0007_purge_status_index.sql', level: 7, effect: 'an index by status and completion' },
  {
    name: '0008_claim_due_index.sql',
    level: 8,
    effect: 'rebuilds the indexes of claims: tasks of one priority then start in order of due time',
  },
  { name: '0009_purge_queue_index.sql', level: 9, effect: 'an index by queue and completion' },
  {
    name: '0010_drop_status_index.sql',
    level: 10,
    effect: 'drops the index by status, which processes of cairnq 0.6 use for lists',
  },
];

/**
 * Indexes of cairnq_tasks and cairnq_task_keys, with the levels they belong to.
 *
 * @type {{ name: string, from: number, until?: number, serves: string }[]}
 */
export const INDEXES = [
  { name: 'cairnq_tasks_claim_idx', from: 1, serves: 'claims' },
  { name: 'cairnq_tasks_status_idx', from: 1, until: 9, serves: 'lists by status' },
  { name: 'cairnq_tasks_name_idx', from: 1, serves: 'lists by name' },
  { name: 'cairnq_tasks_root_idx', from: 1, serves: 'families of tasks' },
  { name: 'cairnq_tasks_correlation_idx', from: 1, serves: 'lists by correlation' },
  { name: 'cairnq_tasks_completed_idx', from: 2, serves: 'purges' },
  { name: 'cairnq_tasks_lease_idx', from: 4, serves: 'recovery of expired leases' },
  { name: 'cairnq_tasks_claim_name_idx', from: 6, serves: 'claims by name' },
  { name: 'cairnq_tasks_status_completed_idx', from: 7, serves: 'purges by status' },
  { name: 'cairnq_tasks_queue_completed_idx', from: 9, serves: 'purges by queue' },
  { name: 'cairnq_task_keys_task_id_idx', from: 1, serves: 'purges of tasks with keys' },
];

/**
 * The migrations that lead to a level and are not in the ledger.
 *
 * @param {string[]} applied names in the ledger
 * @param {number} level
 * @param {'sqlite' | 'postgres'} backend
 */
export function missingMigrations(applied, level, backend) {
  return MIGRATIONS.filter(
    (migration) =>
      migration.level <= level &&
      !applied.includes(migration.name) &&
      (backend === 'postgres' || !migration.postgresOnly),
  );
}
