/**
 * Producers and workers that die all the time, on one database, and then the question whether anything was lost,
 * settled twice, or run by two at once.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installAudit, readAudit } from './audit.js';
import { Fleet, spawn } from './fleet.js';
import { expected } from './handlers.js';
import { openLedger, readLedger, readLedgers } from './ledger.js';
import { randomFrom } from './random.js';
import { verdict } from './verdict.js';

const LEASE_MS = 1000;
const WORKERS = 3;
const PRODUCERS = 2;
/** Processes that work off what they submit themselves, each in a queue of its own. */
const SELVES = 2;
/** Submits one producer has under way at once. */
const LANES = 8;
/** Producers wait while so many are queued, so that a run ends soon after its last kill. */
const MAX_QUEUE_DEPTH = 300;
const DRAIN_MS = 120_000;
const PATIENCE_MS = 90_000;
const NUMBERS_PER_PRODUCER = 10_000_000;

/**
 * @param {object} options
 * @param {import('../support/world.js').World} options.world a fresh database
 * @param {number} options.seconds how long processes die
 * @param {{ kills: number, tasks: number }} [options.atLeast] a busy machine gets more time for as many
 * @param {number} options.seed
 * @param {(world: object) => Promise<unknown>} [options.sabotage] done to the database half way: a harness that cannot
 *   fail shows nothing
 */
export async function crashRun({ world, seconds, atLeast, seed, sabotage }) {
  const ledgers = await mkdtemp(path.join(tmpdir(), 'cairnq-crash-'));
  try {
    await world.store.connect();
    await installAudit(world);
    const note = openLedger(ledgers);
    const fleet = new Fleet({ random: randomFrom(seed), note, leaseMs: LEASE_MS });
    const common = { target: world.target, ledgers };
    const worker = { ...common, leaseMs: LEASE_MS, concurrency: 8 };
    for (let n = 0; n < WORKERS; n++) fleet.keep('worker-process.js', () => worker);
    for (let n = 0; n < PRODUCERS; n++) {
      let from = n * NUMBERS_PER_PRODUCER;
      fleet.keep('producer-process.js', (lastPid) => {
        from = after(readLedger(ledgers, lastPid), from);
        return { ...common, lanes: LANES, maxQueueDepth: MAX_QUEUE_DEPTH, from };
      });
    }
    const queues = ['default'];
    for (let n = 0; n < SELVES; n++) {
      let from = (PRODUCERS + n) * NUMBERS_PER_PRODUCER;
      const queue = `self ${n}`;
      queues.push(queue);
      fleet.keep('self-process.js', (lastPid) => {
        from = after(readLedger(ledgers, lastPid), from);
        return { ...common, leaseMs: LEASE_MS, queues: [queue], from };
      });
    }
    await delay(seconds * 500);
    if (atLeast) await longEnough(world, fleet, atLeast);
    await sabotage?.(world);
    await delay(seconds * 500);
    await fleet.stop();
    await drain(world, { ...worker, queues });
    const rows = await world.sql('select id, status, payload, result from cairnq_tasks');
    for (const row of rows) {
      row.payload = JSON.parse(row.payload);
      row.result = row.result === null ? null : JSON.parse(row.result);
    }
    const ledger = readLedgers(ledgers);
    const report = verdict({ ledger, audit: await readAudit(world), rows, expected });
    const strange = ledger.filter(({ event }) => event === 'strange');
    const errors = countBy(ledger.filter(({ event }) => event === 'error'));
    return { ...report, seed, deaths: Object.fromEntries(fleet.deaths), strange, errors };
  } finally {
    await rm(ledgers, { recursive: true, force: true });
  }
}

async function longEnough(world, fleet, { kills, tasks }) {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const [{ n }] = await world.sql(
      "select count(*) as n from cairnq_tasks where status = 'succeeded'",
    );
    if (fleet.kills >= kills && Number(n) >= tasks) return;
    await delay(200);
  }
}

/** The first number beyond those acknowledged: where the next life of a producer goes on. */
function after(ledger, from) {
  return ledger.reduce(
    (next, { event, n }) => (event === 'acknowledged' ? Math.max(next, n + 1) : next),
    from,
  );
}

/** Healthy workers finish what is left. */
async function drain(world, config) {
  const peers = [spawn('worker-process.js', config), spawn('worker-process.js', config)];
  try {
    const deadline = Date.now() + DRAIN_MS;
    for (;;) {
      const [{ live }] = await world.sql(
        "select count(*) as live from cairnq_tasks where status in ('queued', 'running')",
      );
      if (Number(live) === 0 || Date.now() > deadline) break;
      await delay(100);
    }
  } finally {
    for (const peer of peers) peer.send({ stop: true });
    await Promise.all(peers.map((peer) => peer.exitWithin(20_000).catch(() => peer.end())));
  }
}

/** Errors by their text, so that a flood reads as one line. */
function countBy(events) {
  const counts = {};
  for (const { name, message, code, phase } of events) {
    const kind = message.replace(/\b(task|worker)_\w+/g, '$1').replace(/\d+ ?ms\b/g, 'N ms');
    const text = `${phase ?? 'submit'}: ${code ?? name}: ${kind}`;
    counts[text] = (counts[text] ?? 0) + 1;
  }
  return counts;
}
