/** The database's own tables against the model, and the rules that hold whatever the program was. */
import { isDeepStrictEqual } from 'node:util';
import { isTerminal, Stamp } from './model.js';

/** Milliseconds by which two readings of one clock may differ in rounding. */
const ROUNDING_MS = 2;

const JSON_COLUMNS = ['payload', 'result', 'error', 'metadata'];

/** Every row with its JSON decoded, by id, and the tasks that keys point at. */
export async function readTables(sql) {
  const rows = new Map();
  for (const row of await sql('select * from cairnq_tasks')) {
    for (const column of JSON_COLUMNS) {
      if (row[column] !== null) row[column] = JSON.parse(row[column]);
    }
    rows.set(row.id, row);
  }
  const pointers = await sql('select key, task_id from cairnq_task_keys');
  return { rows, keys: new Map(pointers.map(({ key, task_id }) => [key, task_id])) };
}

/**
 * Throws where the tables are not what the model says. Times that the model left open are bounded by the
 * operation's begin and end, and filled in.
 */
export function compareTables(model, { rows, keys }, { began, ended }) {
  same('ids', [...rows.keys()].sort(), [...model.rows.keys()].sort());
  same('keys', byKey(keys), byKey(model.keys));
  for (const [id, expected] of model.rows) {
    const actual = rows.get(id);
    for (const [column, value] of Object.entries(expected)) {
      const found = actual[column];
      if (!(value instanceof Stamp)) {
        same(`${column} of ${id}`, found, value);
        continue;
      }
      const from = began + value.delayMs - ROUNDING_MS;
      const to = ended + value.delayMs + ROUNDING_MS;
      if (!(typeof found === 'number' && found >= from && found <= to)) {
        throw new Error(`${column} of ${id} is ${found}, not within ${from} to ${to}`);
      }
      expected[column] = found;
    }
    same(`columns of ${id}`, Object.keys(actual).sort(), Object.keys(expected).sort());
  }
}

/** What SPEC 2.4 demands of any state, seen without the model's own idea of how it came about. */
export function checkInvariants({ rows, keys }, model) {
  for (const row of rows.values()) {
    const holds = (rule, truth) => {
      if (!truth) throw new Error(`${rule}: ${JSON.stringify(row)}`);
    };
    holds('a lease exactly while running', (row.lease_until_ms !== null) === is(row, 'running'));
    holds('a running task has a worker', !is(row, 'running') || row.worker_id !== null);
    holds('a queued task has none', !is(row, 'queued') || row.worker_id === null);
    holds('an end has a time', (row.completed_at_ms !== null) === isTerminal(row));
    holds('attempts within bounds', row.attempt >= 0);
    holds('no attempt beyond the last', row.attempt <= (model.attemptsAllowed.get(row.id) ?? 0));
    holds('a running task has made an attempt', !is(row, 'running') || row.attempt >= 1);
    holds('cancel outranks the queue', !is(row, 'queued') || row.cancel_requested_at_ms === null);
    holds('cancel outranks failure', !is(row, 'failed') || row.cancel_requested_at_ms === null);
    holds(
      'the queue shows no progress',
      !is(row, 'queued') || (row.progress === null && row.message === null),
    );
    holds('a result is a success', row.result === null || is(row, 'succeeded'));
    holds('a failure says why', !is(row, 'failed') || row.error !== null);
  }
  for (const [key, id] of keys) {
    if (!rows.has(id)) throw new Error(`key ${JSON.stringify(key)} points at nothing`);
  }
}

const is = (row, status) => row.status === status;

const byKey = (map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

export function same(what, actual, expected) {
  if (!isDeepStrictEqual(actual, expected)) {
    throw new Error(`${what}: ${JSON.stringify(actual)} where ${JSON.stringify(expected)} was due`);
  }
}
