/** Processes that are kept running and kept dying: at random moments, at named points, or stopped for a while. */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Peer } from '../process/peer.js';

/** Where a debug build can be made to abort; see src/crash.rs. */
export const POINTS = ['before-commit', 'after-commit', 'delivery', 'outcomes'];

const program = (name) => fileURLToPath(new URL(name, import.meta.url));

export class Fleet {
  #random;
  #note;
  #over = false;
  #ends = [];
  #peers = new Set();
  /** Deaths by what brought them about. */
  deaths = new Map();

  /**
   * @param {object} parts
   * @param {ReturnType<import('./random.js').randomFrom>} parts.random
   * @param {(event: string, fields: object) => void} parts.note the harness's own ledger
   * @param {number} parts.leaseMs
   */
  constructor({ random, note, leaseMs }) {
    this.#random = random;
    this.#note = note;
    this.leaseMs = leaseMs;
  }

  get kills() {
    return [...this.deaths.values()].reduce((sum, deaths) => sum + deaths, 0);
  }

  /** Keeps a process of `file` alive until stop(). `config` is told the pid that lived before. */
  keep(file, config) {
    this.#ends.push(this.#lives(file, config));
  }

  async #lives(file, config) {
    let last;
    while (!this.#over) {
      const fate = this.#fate();
      const peer = spawn(file, config(last), fate.env);
      last = peer.process.pid;
      this.#peers.add(peer);
      const exited = peer.exited.then(() => true);
      await Promise.race([peer.event('running', { timeoutMs: 30_000 }).catch(() => {}), exited]);
      await this.#meet(fate, peer, exited);
      await peer.exited;
      this.#peers.delete(peer);
      this.#note('killed', { pid: last, signal: peer.exit.signal });
      this.#count(peer.exit.signal === 'SIGABRT' ? fate.name : 'SIGKILL');
      this.#examine(peer);
    }
  }

  async #meet(fate, peer, exited) {
    if (fate.pauses && !(await sooner(exited, fate.afterMs / 2))) {
      peer.process.kill('SIGSTOP');
      await delay(this.leaseMs * 1.6);
      peer.process.kill('SIGCONT');
    }
    await sooner(exited, fate.afterMs);
    peer.kill('SIGKILL');
  }

  /** A process may die of what it was sentenced to, and of nothing else. */
  #examine({ exit, process: { pid }, stderr }) {
    const { code, signal } = exit;
    if (signal !== 'SIGKILL' && signal !== 'SIGABRT') {
      this.#note('strange', { dead: pid, code, signal, stderr: stderr.slice(-1000) });
    }
  }

  #fate() {
    const afterMs = this.#random.between(50, 1500);
    const dice = this.#random.between(0, 10);
    if (dice < 4) return { name: 'SIGKILL', afterMs };
    if (dice < 5) return { name: 'SIGKILL', afterMs, pauses: true };
    const name = this.#random.pick(POINTS);
    const at = this.#random.between(1, 60);
    return { name, afterMs: 2000, env: { CAIRNQ_CRASH_POINT: `${name}:abort:${at}` } };
  }

  #count(cause) {
    this.deaths.set(cause, (this.deaths.get(cause) ?? 0) + 1);
  }

  /** Kills whoever lives and starts nobody any more. */
  async stop() {
    this.#over = true;
    for (const peer of this.#peers) peer.kill('SIGKILL');
    await Promise.all(this.#ends);
  }
}

/** A process of this folder. */
export function spawn(file, config, env = {}) {
  return new Peer(process.execPath, [program(file), JSON.stringify(config)], { env });
}

/** Whether the promise resolves within so many milliseconds. */
async function sooner(promise, ms) {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const outcome = await Promise.race([promise, late]);
  timer.abort();
  return outcome;
}
