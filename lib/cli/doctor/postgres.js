/**
 * What Postgres says of itself, and whether an announcement arrives.
 *
 * @typedef {import('./finding.js').Finding} Finding
 */
import { clean, count, plural, size, span } from '../format.js';
import { note, problem, warning } from './finding.js';

const CLOCK_TOLERANCE_MS = 2_000;
const MANY_DEAD = 10_000;

/**
 * @param {any} facts
 * @param {{ pooler: boolean, heard: boolean | null }} listening
 * @returns {Finding[]}
 */
export function postgresFindings(facts, listening) {
  return [
    ...serverFindings(facts.storage.rows[0]),
    ...announcementFindings(facts, listening),
    ...vacuumFindings(facts),
    ...sessionFindings(facts.sessions.rows),
    ...clockFindings(facts.clock),
  ];
}

/**
 * @param {any} server
 * @returns {Finding[]}
 */
function serverFindings(server) {
  /** @type {Finding[]} */
  const found = [];
  if (server === undefined) return found;
  if (server.standby || server.read_only) {
    found.push(
      problem({
        id: 'read-only',
        title: server.standby ? 'the server is a standby' : 'the database takes no writes',
        explanation: 'Workers connected here can claim nothing (25006).',
        remedy:
          'Name the primary; with several hosts in the DSN add target_session_attrs=read-write.',
      }),
    );
  }
  if (server.missing_privileges.length > 0) {
    found.push(
      problem({
        id: 'permissions',
        title: `the role ${clean(server.role)} may not ${server.missing_privileges.join(', ')}`,
        explanation: 'On cairnq_tasks or cairnq_task_keys. A worker under this role fails.',
        remedy: `grant select, insert, update, delete on cairnq_tasks, cairnq_task_keys to "${clean(server.role)}";`,
      }),
    );
  }
  if (server.connections >= server.max_connections * 0.9) {
    found.push(
      warning({
        id: 'connections',
        title: `${server.connections} of ${server.max_connections} connections are taken`,
        explanation: 'The next worker may be refused (53300).',
        remedy: 'Lower max on stores, or put a pooler in front and pgbouncer=true into the DSN.',
      }),
    );
  }
  return found;
}

/**
 * @param {any} facts
 * @param {{ pooler: boolean, heard: boolean | null }} listening
 * @returns {Finding[]}
 */
function announcementFindings({ trigger }, { pooler, heard }) {
  const [row] = trigger.rows;
  const found = [];
  if (row === undefined || row.enabled === 'D') {
    found.push(
      problem({
        id: 'trigger',
        title: `the trigger cairnq_tasks_notify is ${row === undefined ? 'missing' : 'disabled'}`,
        explanation:
          'Workers and waiters on other hosts are told of nothing, and find it by polling only.',
        remedy:
          row === undefined
            ? 'Create it as migration 0003_notify.sql does.'
            : 'alter table cairnq_tasks enable trigger cairnq_tasks_notify;',
      }),
    );
  }
  if (pooler) {
    found.push(
      note({
        id: 'pooler',
        title: 'the DSN says that a pooler is in the way (pgbouncer=true)',
        explanation: 'There are then no push wake-ups: workers and waiters poll.',
        remedy: 'Where latency matters, give workers a DSN that leads to the server directly.',
      }),
    );
  } else if (heard === false) {
    found.push(
      problem({
        id: 'listener',
        title: 'an announcement sent from here was not heard here',
        explanation:
          'LISTEN was accepted and NOTIFY sent, and nothing arrived within seconds. So does a pooler in transaction mode, which hands out another connection for each transaction.',
        remedy:
          'If there is a pooler, add pgbouncer=true to the DSN, so that nothing relies on a session; or lead workers past it.',
      }),
    );
  }
  return found;
}

/**
 * @param {any} facts
 * @returns {Finding[]}
 */
function vacuumFindings({ statistics, storage }) {
  const found = [];
  const [server] = storage.rows;
  for (const { table, live, dead, options, vacuumed_ms, bytes } of statistics.rows) {
    const off =
      /autovacuum_enabled=(false|off|0|no)/i.test(options) || server?.autovacuum === false;
    if (off) {
      found.push(
        warning({
          id: 'autovacuum',
          title: `autovacuum is off for ${table}`,
          explanation:
            'A queue updates every row several times; without vacuum its table and indexes only grow.',
          remedy: `alter table ${table} reset (autovacuum_enabled); and autovacuum = on for the server`,
        }),
      );
    }
    if (dead > MANY_DEAD && dead > live / 2) {
      const last = vacuumed_ms === null ? 'never' : new Date(vacuumed_ms).toISOString();
      found.push(
        warning({
          id: 'dead-rows',
          title: `${table} holds ${count(dead)} dead rows beside ${count(live)} live ones (${size(bytes)})`,
          explanation: `Every walk of an index passes over them. It was last vacuumed: ${last}. Autovacuum is off, too slow, or held back by an old transaction.`,
          remedy: `vacuum ${table}; then let autovacuum work more: alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);`,
          facts: { table, live, dead },
        }),
      );
    }
  }
  return found;
}

/**
 * @param {any[]} sessions
 * @returns {Finding[]}
 */
function sessionFindings(sessions) {
  if (sessions.length === 0) return [];
  const listed = sessions.map(
    ({ kind, id, role, application, client, state, age_ms }) =>
      `${kind} ${clean(id)} of ${clean(role ?? 'another role')} (${[application, client, state]
        .filter(Boolean)
        .map(clean)
        .join(', ')}), open for ${span(age_ms)}`,
  );
  return [
    warning({
      id: 'long-transactions',
      title: `${plural(sessions.length, 'transaction')} open for long`,
      explanation: `${listed.join('; ')}. No row that died since can be vacuumed away, in any table, and locks are held.`,
      remedy:
        'End it where it comes from, or select pg_terminate_backend(PID); idle_in_transaction_session_timeout keeps it from coming back.',
      facts: { sessions },
    }),
  ];
}

/**
 * @param {{ aheadMs: number, uncertaintyMs: number }} clock
 * @returns {Finding[]}
 */
function clockFindings({ aheadMs, uncertaintyMs }) {
  if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS + uncertaintyMs) return [];
  return [
    warning({
      id: 'clock',
      title: `the server's clock is ${span(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} this host's`,
      explanation: `Known to within ${span(uncertaintyMs)}. Leases and due times go by the server's clock alone and are right; ids, logs and ages computed on this host are off by as much.`,
      remedy: 'Let both hosts keep time (NTP).',
      facts: { aheadMs, uncertaintyMs },
    }),
  ];
}
