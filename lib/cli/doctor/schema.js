/**
 * The schema: its level, where that came from, and whether everything that belongs to it is there.
 *
 * @typedef {import('./finding.js').Finding} Finding
 * @typedef {import('./finding.js').Seen} Seen
 */
import { DEFAULT_LEVEL, INDEXES, LATEST_LEVEL, missingMigrations } from '../../inspect/levels.js';
import { note, problem, warning } from './finding.js';

const OUR_INDEX = 'cairnq_task_keys_task_id_idx';

/** @param {Seen} seen */
export function schemaFindings(seen) {
  return [...levelFindings(seen), ...indexFindings(seen), ...statisticsFindings(seen)];
}

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function levelFindings({ level, backend, facts }) {
  const ledger = facts.ledger.rows;
  const applied = ledger.map((/** @type {any} */ { name }) => name);
  const latest = ledger.reduce(
    (/** @type {number} */ max, /** @type {any} */ row) => Math.max(max, row.applied_at_ms),
    0,
  );
  const when = latest > 0 ? `, last migrated ${new Date(latest).toISOString()}` : '';
  const found = [];
  if (level > LATEST_LEVEL) {
    found.push(
      warning({
        id: 'schema-newer',
        title: `the schema is at level ${level}, newer than this version knows (${LATEST_LEVEL})`,
        explanation:
          'A newer cairnq migrated it. The protocol version is one this version speaks, so workers go on, but nothing is known here of indexes added since.',
        remedy: 'Upgrade @cairnq/native on every host.',
      }),
    );
  } else if (level < DEFAULT_LEVEL) {
    found.push(
      problem({
        id: 'schema-old',
        title: `the schema is at level ${level}; workers need ${DEFAULT_LEVEL}`,
        explanation:
          'Indexes that claims and recovery go by are missing. The next worker or client that opens the database migrates it, unless it may not.',
        remedy: 'cairnq migrate TARGET',
      }),
    );
  } else {
    const by =
      level === DEFAULT_LEVEL
        ? 'the level of cairnq 0.6, which @cairnq/native makes too'
        : 'reached only by a newer cairnq or by a named migration (migrate: "latest", cairnq migrate --to)';
    const ours = facts.indexes.rows.some((/** @type {any} */ { name }) => name === OUR_INDEX);
    found.push(
      note({
        id: 'schema',
        title: `the schema is at level ${level}${when}`,
        explanation: `Level ${level} is ${by}. ${
          ours
            ? 'A store of @cairnq/native has opened this database: its own index is there.'
            : 'No store of @cairnq/native has opened this database for writing yet: its own index is not there.'
        }`,
        remedy: 'Nothing to do.',
        facts: { level, ledger },
      }),
    );
  }
  const gaps = missingMigrations(applied, Math.min(level, LATEST_LEVEL), backend);
  if (gaps.length > 0 && facts.ledger.reason === null) {
    found.push(
      problem({
        id: 'ledger-gap',
        title: 'the ledger of migrations does not fit the level',
        explanation: `The database says level ${level}, and cairnq_migrations lacks ${gaps
          .map(({ name }) => name)
          .join(
            ', ',
          )}. The next store that opens it will try to apply them, and may fail where their effect is there already.`,
        remedy:
          'If their effect is there (compare the indexes below), add the names to cairnq_migrations; else apply them with cairnq migrate.',
      }),
    );
  }
  if (facts.ledger.reason !== null) {
    found.push(
      warning({
        id: 'ledger-missing',
        title: 'there is no ledger of migrations',
        explanation: `cairnq_migrations cannot be read (${facts.ledger.reason}). The tables were made by hand or copied without it.`,
        remedy: 'cairnq migrate TARGET writes one; make a backup first.',
      }),
    );
  }
  return found;
}

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function indexFindings({ level, facts }) {
  const there = new Set(facts.indexes.rows.map((/** @type {any} */ { name }) => name));
  const broken = facts.indexes.rows.filter((/** @type {any} */ { valid }) => valid === false);
  const found = INDEXES.filter(
    ({ name, from, until }) =>
      name !== OUR_INDEX && from <= level && level <= (until ?? level) && !there.has(name),
  ).map(({ name, serves }) =>
    problem({
      id: 'index-missing',
      title: `the index ${name} is missing`,
      explanation: `It serves ${serves}. Without it they read the whole table, and on SQLite statements that name it fail.`,
      remedy: `Create it as the migration of level ${level} does (protocol/migrations in the source).`,
      facts: { name },
    }),
  );
  if (there.size > 0 && !there.has(OUR_INDEX)) {
    found.push(
      warning({
        id: 'index-missing',
        title: `the index ${OUR_INDEX} is missing`,
        explanation: 'A purge of tasks with keys then reads all keys for every task it deletes.',
        remedy: 'Let a worker or client of @cairnq/native open the database once: it makes it.',
        facts: { name: OUR_INDEX },
      }),
    );
  }
  for (const { name } of broken) {
    found.push(
      problem({
        id: 'index-invalid',
        title: `the index ${name} is invalid`,
        explanation: 'Its creation failed half-way; Postgres maintains it and never uses it.',
        remedy: `reindex index concurrently ${name};`,
        facts: { name },
      }),
    );
  }
  return found;
}

/** Fewer rows than this need no statistics. */
const FEW_ROWS = 1_000;

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function statisticsFindings({ backend, facts }) {
  const table = facts.statistics.rows.find(
    (/** @type {any} */ row) => row.table === undefined || row.table === 'cairnq_tasks',
  );
  const missing =
    backend === 'sqlite'
      ? (facts.storage.rows[0]?.tasks ?? 0) > FEW_ROWS && table === undefined
      : (table?.live ?? 0) > FEW_ROWS && table?.analyzed_ms === null;
  if (!missing) return [];
  const remedy =
    backend === 'sqlite'
      ? 'A worker of @cairnq/native takes them a second after its next write; or run: analyze cairnq_tasks;'
      : 'analyze cairnq_tasks; and see that autovacuum is on';
  return [
    warning({
      id: 'statistics-missing',
      title: 'the planner has no statistics of cairnq_tasks',
      explanation:
        'The statements of @cairnq/native name their indexes and do not need them, but those of other cairnq SDKs and your own may choose a bad plan.',
      remedy,
    }),
  ];
}
