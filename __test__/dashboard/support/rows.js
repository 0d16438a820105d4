/**
 * Rows as programs would have left them, written straight into the table: the past cannot be submitted.
 */
import { createHash } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ROWS_PER_STATEMENT = 100;

/** A task's id with the time in front. @param {number} ms @param {number} n */
export function idAt(ms, n) {
  let bits =
    (BigInt(Math.floor(ms)) << 80n) | ((BigInt(n) * 0x9e3779b97f4a7c15f39cn) % (1n << 80n));
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = CROCKFORD[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return `task_${text}`;
}

/** A row that ended well a moment after it was submitted, unless told otherwise. @param {object} given */
export function row(given) {
  const created = given.created_at_ms ?? Date.now();
  const status = given.status ?? 'succeeded';
  const done = ['succeeded', 'failed', 'canceled'].includes(status);
  const completed = done ? (given.completed_at_ms ?? created + 250) : null;
  const whole = {
    name: 'mail.send',
    queue: 'default',
    status,
    payload: {},
    result: null,
    error: null,
    metadata: {},
    progress: null,
    message: null,
    attempt: status === 'queued' ? 0 : 1,
    max_attempts: 3,
    priority: 0,
    worker_id: null,
    lease_until_ms: null,
    run_at_ms: created,
    cancel_requested_at_ms: null,
    parent_id: null,
    root_id: given.id,
    correlation_id: null,
    created_at_ms: created,
    updated_at_ms: completed ?? created,
    completed_at_ms: completed,
    ...given,
  };
  for (const field of ['payload', 'result', 'error', 'metadata']) {
    if (whole[field] !== null) whole[field] = JSON.stringify(whole[field]);
  }
  return whole;
}

/**
 * @param {import('../../support/world.js').World} world
 * @param {object[]} rows
 */
export async function insertRows(world, rows) {
  await world.store.connect();
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = rows.slice(at, at + ROWS_PER_STATEMENT);
    const columns = Object.keys(some[0]);
    const marks = `(${columns.map(() => '?').join(', ')})`;
    await world.sql(
      `insert into cairnq_tasks (${columns.join(', ')}) values ${some.map(() => marks).join(', ')}`,
      some.flatMap((values) => columns.map((column) => values[column])),
    );
  }
}

/** Numbers that look random and are the same in every run. */
function dice() {
  let rolled = 0;
  return () => {
    rolled += 1;
    return createHash('sha256').update(`roll ${rolled}`).digest().readUInt32BE(0) / 2 ** 32;
  };
}

const KINDS = [
  { name: 'mail.send', queue: 'default', weight: 40, ms: 320, failing: 0.02 },
  { name: 'webhook.deliver', queue: 'default', weight: 25, ms: 900, failing: 0.11 },
  { name: 'invoice.sync', queue: 'default', weight: 12, ms: 1_600, failing: 0.04 },
  { name: 'image.resize', queue: 'media', weight: 15, ms: 2_400, failing: 0.01 },
  { name: 'report.build', queue: 'reports', weight: 8, ms: 9_000, failing: 0 },
];
const ERRORS = [
  {
    type: 'TypeError',
    code: 'handler_error',
    message: "Cannot read properties of undefined (reading 'address')",
  },
  {
    type: 'HandlerTimeout',
    code: 'handler_timeout',
    message: 'handler for webhook.deliver exceeded maxRunMs=5000ms; the attempt was abandoned',
  },
  { type: 'FetchError', code: 'handler_error', message: 'connect ECONNREFUSED 203.0.113.7:443' },
];

/** An hour of a shop's work, busier towards its end. @param {number} nowMs @param {number} count */
export function anHour(nowMs, count) {
  const roll = dice();
  const rows = [];
  for (let n = 0; n < count; n++) {
    const kind = pickKind(roll());
    const ended = nowMs - 2_000 - 3_590_000 * (1 - Math.sqrt(roll())) * (0.9 + 0.1 * roll());
    const ms = kind.ms * Math.exp(1.6 * (roll() - 0.5) + (roll() < 0.03 ? 1.8 : 0));
    const failed = roll() < kind.failing * (1 + Math.sin(ended / 400_000));
    const created = Math.floor(ended - ms);
    rows.push(
      row({
        id: idAt(created, n + 1),
        name: kind.name,
        queue: kind.queue,
        created_at_ms: created,
        completed_at_ms: Math.floor(ended),
        status: failed ? 'failed' : 'succeeded',
        attempt: failed ? 3 : 1,
        payload: { order: 4_000 + n },
        error: failed ? { ...ERRORS[n % ERRORS.length], retryable: true, details: {} } : null,
      }),
    );
  }
  return rows;
}

/** @param {number} chance from 0 to 1 */
function pickKind(chance) {
  let left = chance * KINDS.reduce((sum, { weight }) => sum + weight, 0);
  for (const kind of KINDS) {
    left -= kind.weight;
    if (left < 0) return kind;
  }
  return KINDS[0];
}
