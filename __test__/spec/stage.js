/**
 * One test's world on a fresh database, closed when the test is over, with short ways to start a worker
 * and the programs of `__test__/process` on it.
 */
import { describe, onTestFinished } from 'vitest';
import * as cairnq from '../../index.js';
import { backends, onEveryBackend } from '../backends.js';
import { Peer } from '../process/peer.js';
import { within } from './events.js';

export { cairnq, onEveryBackend };

/** A suite for one kind of database only: what it says does not exist on the other. */
export function onBackend(kind, title, body) {
  const backend = backends.find(({ name }) => name === kind);
  // Skipped rather than left out: a file without a suite would count as broken.
  describe.skipIf(!backend)(`${title} [${kind}]`, () => body(backend ?? { name: kind }));
}

const STOP_DEADLINE_MS = 10_000;

class Stage {
  #ends = [];
  /** What the workers of this stage told `onError`, in order: `{error, info}`. */
  reports = [];

  constructor(backend, world) {
    this.backend = backend;
    this.kind = backend.name;
    this.world = world;
    this.path = world.path;
  }

  /** Rows of one SQL statement, run outside the product; `?` stands for a parameter. */
  sql(text, params = []) {
    return this.world.sql(text, params);
  }

  /** The row as the database holds it, JSON columns as text. */
  async row(id) {
    const [row] = await this.sql('select * from cairnq_tasks where id = ?', [id]);
    return row;
  }

  store(options) {
    return this.world.newStore(options);
  }

  client(options = {}) {
    return this.world.client(options);
  }

  /** A worker that does not run yet; its errors are kept in `reports`. */
  worker(options = {}) {
    const onError = (error, info) => {
      this.reports.push({ error, info });
    };
    return this.world.worker({ pollIntervalMs: 50, onError, ...options });
  }

  /** Starts a worker; it is stopped, and waited for, when the test is over. */
  start(worker, options) {
    const running = worker.run(options);
    running.catch(() => {});
    this.atEnd(async () => {
      worker.stop();
      await within(
        STOP_DEADLINE_MS,
        running.catch(() => {}),
        'run() after stop()',
      );
    });
    return running;
  }

  /** A running worker with these handlers: `{name: fn}` or `{name: [options, fn]}`. */
  run(handlers, options = {}) {
    const worker = this.worker(options);
    register(worker, handlers);
    this.start(worker);
    return worker;
  }

  /** A Node program of `__test__/process` on this database, ended with the test. */
  peer(program, config = {}, options = {}) {
    return this.keep(Peer.node(program, { target: this.world.target, ...config }, options));
  }

  keep(peer) {
    this.atEnd(() => peer.end());
    return peer;
  }

  /** Does `end` when the test is over; the last registered goes first. */
  atEnd(end) {
    this.#ends.push(end);
  }

  async end() {
    const failures = [];
    for (const end of [() => this.world.close(), ...this.#ends].reverse()) {
      try {
        await within(STOP_DEADLINE_MS, end(), 'closing after a test');
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Registers `{name: fn}` or `{name: [options, fn]}`. */
export function register(worker, handlers) {
  for (const [name, handler] of Object.entries(handlers)) {
    if (Array.isArray(handler)) worker.task(name, ...handler);
    else worker.task(name, handler);
  }
  return worker;
}

/** A fresh database of this backend, gone when the current test is over. */
export async function setStage(backend, options) {
  const stage = new Stage(backend, await backend.open(options));
  onTestFinished(() => stage.end());
  return stage;
}
