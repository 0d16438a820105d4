/**
 * A native worker with the dispatcher that runs its calls. Several run() calls share one, and with
 * it the counts of names, resources and bytes in flight.
 *
 * @typedef {import('./registration.js').Registration} Registration
 */
import { bridge } from '../bridge.js';
import { NATIVE } from '../native-store.js';
import { Dispatcher } from './dispatcher.js';

export class Engine {
  #native;
  #dispatcher;
  #channel;
  #runs = 0;

  /**
   * @param {import('../store.js').TaskStore} store
   * @param {import('./options.js').NormalOptions} options
   * @param {Map<string, Registration>} handlers
   * @param {import('./dispatcher.js').Report} report
   */
  constructor(store, options, handlers, report) {
    const { addon, native } = bridge();
    this.#channel = bridge().openChannel();
    const json = JSON.stringify(options);
    this.#native = new addon.NativeWorker(native, store[NATIVE](), this.#channel, json);
    this.#dispatcher = new Dispatcher(this.#native, store, options, handlers, report);
    for (const registered of handlers.values()) this.register(registered);
  }

  /** @param {Registration} registered */
  register({ name, batch, concurrency, resource }) {
    this.#native.register(name, batch && asU32(batch), concurrency && asU32(concurrency), resource);
  }

  /**
   * Resolves when everything this run started is over.
   *
   * @param {number} concurrency
   */
  async run(concurrency) {
    this.#dispatcher.noteReplaced();
    // Only while running: the bridge would keep a finished worker from being collected.
    this.#runs += 1;
    bridge().listen(this.#channel, (event) => this.#dispatcher.handle(event));
    try {
      await bridge().request((id) => this.#native.run(id, asU32(concurrency)));
    } finally {
      this.#runs -= 1;
      if (this.#runs === 0) bridge().unlisten(this.#channel);
    }
  }

  /** @returns {Omit<import('../../index.js').WorkerStats, 'workerId'>} */
  stats() {
    return JSON.parse(this.#native.stats());
  }

  /** @param {number | null} graceMs */
  stop(graceMs) {
    this.#native.stop(graceMs);
  }
}

/**
 * Counts cross as 32 bits; more than that is no limit at all.
 *
 * @param {number} count
 */
function asU32(count) {
  return Math.min(count, 2 ** 32 - 1);
}
