/** Plays a program of workers on a database, then lets everything end, and holds the ends against what is allowed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installAudit, readAudit } from '../crash/audit.js';
import { openLedger, readLedgers } from '../crash/ledger.js';
import { overlapping } from '../crash/verdict.js';
import { Peer } from '../process/peer.js';
import { until } from '../support/until.js';
import { isTerminal } from './model.js';
import { checkInvariants, readTables } from './table.js';

const LEASE_MS = 500;
const MAX_RUN_MS = 300;
const DRAIN_MS = 30_000;
const program = fileURLToPath(new URL('worker-process.js', import.meta.url));

/** @param {{ world: object }} parts @param {object[]} steps */
export async function playWithWorkers({ world }, steps) {
  const ledgers = await mkdtemp(path.join(tmpdir(), 'cairnq-model-'));
  const play = new Play(world, ledgers);
  try {
    await world.store.connect();
    await installAudit(world);
    for (const [number, step] of steps.entries()) {
      try {
        await play[step.op](step);
        await play.check();
      } catch (error) {
        throw new Error(`step ${number + 1}, ${step.op}: ${error.message}`, { cause: error });
      }
    }
    await play.drain();
  } finally {
    await play.end();
    await rm(ledgers, { recursive: true, force: true });
  }
}

class Play {
  #world;
  #ledgers;
  #note;
  #peers = new Map();
  #everyone = new Set();
  #tasks = [];
  #kills = 0;

  constructor(world, ledgers) {
    this.#world = world;
    this.#ledgers = ledgers;
    this.#note = openLedger(ledgers);
  }

  async start({ slot, concurrency, prefetch }) {
    if (this.#peers.has(slot)) return;
    const options = { leaseMs: LEASE_MS, maxRunMs: MAX_RUN_MS, concurrency, prefetch };
    const config = { target: this.#world.target, ledgers: this.#ledgers, options };
    const peer = new Peer(process.execPath, [program, JSON.stringify(config)]);
    this.#peers.set(slot, peer);
    this.#everyone.add(peer);
    await peer.event('running');
  }

  async stop({ slot, graceMs }) {
    const peer = this.#take(slot);
    if (peer === undefined) return;
    peer.send({ stop: { graceMs } });
    const { code, signal } = await peer.exitWithin(10_000);
    if (code !== 0)
      throw new Error(`a stopped worker ended with ${code ?? signal}: ${peer.stderr}`);
    this.#note('killed', { pid: peer.process.pid });
  }

  async kill({ slot }) {
    const peer = this.#take(slot);
    if (peer === undefined) return;
    peer.kill('SIGKILL');
    await peer.exited;
    this.#kills += 1;
    this.#note('killed', { pid: peer.process.pid });
  }

  #take(slot) {
    const peer = this.#peers.get(slot);
    this.#peers.delete(slot);
    return peer;
  }

  async submit({ op: _op, ...input }) {
    const task = await this.#world.store.submit({ ...input, payload: { n: this.#tasks.length } });
    if (this.#tasks.some(({ id }) => id === task.id)) return;
    for (const other of this.#tasks) {
      // Replaced: it was cancelled if it was live.
      if (input.key !== null && other.key === input.key) other.mayBeCancelled = true;
    }
    this.#tasks.push({
      id: task.id,
      ...input,
      n: task.payload.n,
      attemptsAllowed: input.maxAttempts,
      cancelled: false,
      mayBeCancelled: false,
      retries: 0,
    });
  }

  async cancel({ task: n }) {
    const task = this.#tasks[n % this.#tasks.length];
    if (task === undefined) return;
    if ((await this.#world.store.cancel(task.id)) !== null) task.cancelled = true;
  }

  async retry({ task: n, resetAttempt }) {
    const task = this.#tasks[n % this.#tasks.length];
    if (task === undefined) return;
    const row = await this.#world.store.retry(task.id, { resetAttempt });
    if (row === null) return;
    Object.assign(task, { cancelled: false, mayBeCancelled: false, retries: task.retries + 1 });
    task.attemptsAllowed = Math.max(task.maxAttempts, row.attempt + 1);
  }

  async wait({ ms }) {
    await delay(ms);
  }

  /** What holds at any moment, workers or not. */
  async check() {
    const tables = await readTables((text) => this.#world.sql(text));
    const attemptsAllowed = new Map(this.#tasks.map((task) => [task.id, task.attemptsAllowed]));
    checkInvariants(tables, { attemptsAllowed });
    for (const { id } of this.#tasks) if (!tables.rows.has(id)) throw new Error(`${id} is gone`);
    return tables.rows;
  }

  /** A healthy worker ends what is left; then every end must be one that its task may have. */
  async drain() {
    await this.start({ slot: 'last', concurrency: 8, prefetch: 'auto' });
    const rows = await until(
      async () => {
        const all = await this.check();
        return [...all.values()].every(isTerminal) && all;
      },
      { timeoutMs: DRAIN_MS, everyMs: 20, what: 'every task to end' },
    );
    for (const task of this.#tasks) checkEnd(task, rows.get(task.id), this.#kills > 0);
    const audit = await readAudit(this.#world);
    const changes = new Map(this.#tasks.map(({ id }) => [id, []]));
    for (const change of audit) changes.get(change.task_id).push(change);
    for (const { id, retries } of this.#tasks) {
      const ends = changes.get(id).filter((change) => isTerminal({ status: change.new_status }));
      if (ends.length > 1 + retries) throw new Error(`${id} ended ${ends.length} times`);
    }
    const faults = overlapping(readLedgers(this.#ledgers), changes);
    if (faults.length > 0) throw new Error(faults.join('; '));
  }

  async end() {
    for (const peer of this.#everyone) await peer.end();
  }
}

/** What each behaviour may come to when nobody interferes. */
const ENDS = {
  returns: ({ n }, row) => row.status === 'succeeded' && row.result?.n === n,
  throws: (_task, row) => row.status === 'failed' && row.error.code === 'handler_error',
  throwsForGood: (_task, row) => row.status === 'failed' && row.error.code === 'for_good',
  timesOut: (_task, row) => row.status === 'failed' && row.error.code === 'handler_timeout',
  failsItself: (_task, row) => row.status === 'failed' && row.error.code === 'itself',
};
ENDS.waits = ENDS.returns;
ENDS.blocks = ENDS.returns;
ENDS.settlesItself = ENDS.returns;

function checkEnd(task, row, killed) {
  const wrong = (why) => {
    throw new Error(`${why}: ${JSON.stringify(task)} ended as ${JSON.stringify(row)}`);
  };
  if (task.cancelled) {
    if (row.status !== 'canceled') wrong('a cancel that was accepted wins');
    return;
  }
  if (row.status === 'canceled') {
    if (!task.mayBeCancelled) wrong('nobody cancelled it');
    return;
  }
  // The machine may be too slow for the lease; the row then says so.
  const expired = row.status === 'failed' && row.error.code === 'lease_expired';
  if (expired && (killed || task.name === 'blocks')) return;
  // A call that blocks the thread takes the time of its neighbours as well.
  const late = row.status === 'failed' && row.error.code === 'handler_timeout';
  if (late && row.attempt >= task.maxAttempts) return;
  if (!ENDS[task.name](task, row)) wrong('an end it cannot have');
  const retried = task.name === 'throws' || task.name === 'timesOut';
  if (retried && row.attempt < task.maxAttempts) wrong('it gave up before its last attempt');
}
