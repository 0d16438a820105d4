/** What a user means by a database: a file, a `file:` URI, a Postgres URL, or libpq's `key=value` text. */
import { fileURLToPath } from 'node:url';
import { wellFormed } from '../arguments.js';
import { PostgresStore, SQLiteStore } from '../store.js';

const URL_OF_POSTGRES = /^postgres(ql)?:\/\//i;

/** Only libpq's own words: a file may have an equals sign in its name. */
const KEY_VALUE =
  /^\s*(host|hostaddr|port|dbname|user|password|passfile|service|sslmode|sslrootcert|options|application_name|connect_timeout|target_session_attrs|pgbouncer)\s*=/i;

/**
 * @param {string} target
 * @returns {'sqlite' | 'postgres'}
 */
export function kindOf(target) {
  return URL_OF_POSTGRES.test(target) || KEY_VALUE.test(target) ? 'postgres' : 'sqlite';
}

/**
 * @typedef {{ schema?: string, busyTimeoutMs?: number, max?: number, migrate?: 'latest' | 'never' | number, pooler?: boolean }} TargetOptions
 */

/**
 * @param {string} target
 * @param {TargetOptions} options
 */
export function storeOf(target, { busyTimeoutMs, ...options }) {
  wellFormed(target, 'target');
  if (kindOf(target) === 'postgres') return new PostgresStore(target, options);
  if (target === '' || target === ':memory:') {
    throw new Error('target must be a database file or a Postgres DSN that other programs use too');
  }
  if (options.schema !== undefined) throw new Error('schema is for Postgres: a file has none');
  return new SQLiteStore(target, { busyTimeoutMs, migrate: options.migrate });
}

/**
 * The file of a SQLite target.
 *
 * @param {string} target
 */
export function fileOf(target) {
  if (!target.startsWith('file:')) return target;
  const [address] = target.split(/[?#]/);
  return address.startsWith('file:/')
    ? fileURLToPath(address)
    : decodeURIComponent(address.slice(5));
}

/**
 * The target as it may be shown: without its password, in whatever spelling. Rather too much is hidden than
 * too little, for a password may hold characters that should have been escaped.
 *
 * @param {string} target
 */
export function shownTarget(target) {
  if (kindOf(target) === 'sqlite') return target;
  return target
    .replace(/^([a-z]+:\/\/[^:/?#@]*):.*@/is, '$1@')
    .replace(
      /((?:^|[?&\s])(?:password|sslpassword)\s*=\s*)('(?:[^'\\]|\\.)*'?|[^&\s]*)/gi,
      '$1***',
    );
}
