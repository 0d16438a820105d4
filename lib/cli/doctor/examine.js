/**
 * The examination: everything is read first, at two looks a moment apart, then judged.
 *
 * @typedef {import('./finding.js').Finding} Finding
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../inspect/ask.js';
import { queueNames } from '../../inspect/overview.js';
import { fileOf } from '../../inspect/target.js';
import { fileFindings } from './file.js';
import { isHeard, saysPooler } from './listening.js';
import { postgresFindings } from './postgres.js';
import { schemaFindings } from './schema.js';
import { workFindings } from './work.js';

/** Rows looked at in each queue, and rows of the past. */
const LOOKED = 1_000;
const PAST = 5_000;

const ORDER = ['problem', 'warning', 'note'];

/**
 * @param {import('../../inspect/inspector.js').Inspector} inspector
 * @param {{
 *   target: string, schema?: string, apartMs: number, longMs: number, sinceMs: number, transactionMs: number,
 *   warnings: { name: string, message: string }[],
 * }} how
 */
export async function examine(inspector, how) {
  const { backend, store } = inspector;
  const facts = await inspector.facts({ longTransactionMs: how.transactionMs });
  /** @type {Finding[]} */
  const findings = [];
  const unknown = [...UNKNOWN, ...(backend === 'sqlite' ? UNKNOWN_SQLITE : UNKNOWN_POSTGRES)];
  const { level } = await ask(store, 'meta');
  findings.push(...schemaFindings(/** @type {any} */ ({ level, backend, facts })));
  try {
    findings.push(...workFindings(await looks(inspector, facts, level, how)));
  } catch (error) {
    // A missing index is a finding of its own; what it hides is said.
    unknown.unshift(`the work itself: ${/** @type {Error} */ (error).message}`);
  }
  if (backend === 'sqlite') {
    findings.push(...(await fileFindings(fileOf(how.target), facts, how.warnings)));
  } else {
    const pooler = saysPooler(how.target);
    const heard = pooler ? null : await isHeard(how.target, how.schema, store);
    if (!pooler && heard === null)
      unknown.push('whether announcements arrive: they could not be tried');
    if (facts.storage.rows[0]?.sees_all === false) {
      unknown.push('sessions of other roles: this role is not a member of pg_read_all_stats');
    }
    findings.push(...postgresFindings(facts, { pooler, heard }));
  }
  findings.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  return { findings, unknown };
}

/**
 * @param {import('../../inspect/inspector.js').Inspector} inspector
 * @param {any} facts
 * @param {number} level
 * @param {{ apartMs: number, longMs: number, sinceMs: number }} how
 * @returns {Promise<import('./finding.js').Seen>}
 */
async function looks(inspector, facts, level, { apartMs, longMs, sinceMs }) {
  const { store, backend } = inspector;
  const look = async () => ({
    overview: await inspector.overview(),
    workers: await inspector.workers(),
  });
  const first = await look();
  const { queues } = await queueNames(store);
  const since = first.overview.nowMs - sinceMs;
  const silent = await ask(store, 'silent_attempts', [JSON.stringify(queues), LOOKED, 100]);
  const leaseFailures = await ask(store, 'lease_failures', [since, PAST]);
  await sleep(apartMs);
  const { names } = await inspector.names();
  const activity = await inspector.activity({ windowMs: 60_000 });
  const second = await look();
  return {
    backend,
    level,
    facts,
    first,
    second,
    names,
    activity,
    silent: silent.rows,
    leaseFailures: leaseFailures.rows,
    limits: { longMs, sinceMs },
  };
}

const UNKNOWN = [
  'which workers are alive: there is no table of workers; one is seen only while it holds a task',
  'when an attempt began: the row keeps when it became due',
  'who applied a migration: the ledger keeps names and times',
  'whether workers report errors elsewhere: their onError and logs are theirs',
];

const UNKNOWN_SQLITE = [
  'processes of other users and in other containers that have the file open, unless this user may see them',
];

const UNKNOWN_POSTGRES = [
  "whether the workers' own listeners hear: only one made here was tried",
  'other hosts and their clocks',
];
