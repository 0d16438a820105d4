import { CairnQ, Worker } from '../../index.js';

/** One fresh database and everything a test opens on it; close() leaves nothing behind. */
export class World {
  #openStore;
  #dispose;
  #openConnection;
  #peek;
  #opened = [];
  #store;

  /**
   * @param {object} parts what the backend brings
   * @param {string} parts.name
   * @param {object} parts.target how another process reaches the same database
   * @param {(options?: object) => object} parts.openStore
   * @param {(text: string, params: unknown[]) => Promise<object[]>} parts.peek
   * @param {() => Promise<object>} parts.openConnection
   * @param {() => Promise<void>} parts.dispose
   */
  constructor({ name, target, openStore, peek, openConnection, dispose }) {
    this.name = name;
    this.target = target;
    this.#openStore = openStore;
    this.#peek = peek;
    this.#openConnection = openConnection;
    this.#dispose = dispose;
  }

  /** The store that client() and worker() share. */
  get store() {
    this.#store ??= this.newStore();
    return this.#store;
  }

  /** A further store on the same database, as another part of a program would open it. */
  newStore(options) {
    const store = this.#openStore(options);
    this.#opened.push(() => store.close());
    return store;
  }

  client({ store = this.store, ...options } = {}) {
    const client = new CairnQ(store, options);
    this.#opened.push(() => client.close());
    return client;
  }

  /** @param {{ store?: object, queues?: string[] } & Record<string, unknown>} [options] */
  worker({ store = this.store, queues = ['default'], ...options } = {}) {
    const worker = new Worker(store, queues, options);
    this.#opened.push(() => worker.stop());
    return worker;
  }

  /**
   * Looks at (or tampers with) the database from outside the SDK. `?` marks a parameter on both databases;
   * JSON columns come as text, integers as numbers.
   * @param {string} text
   * @param {unknown[]} [params]
   */
  sql(text, params = []) {
    return this.#peek(text, params);
  }

  /** A foreign connection that stays open, for locks and long reads: `{ sql(text, params), close() }`. */
  async connection() {
    const connection = await this.#openConnection();
    this.#opened.push(() => connection.close());
    return connection;
  }

  /** Stops workers before stores (last opened first) and removes the database. */
  async close() {
    const failures = [];
    for (const end of this.#opened.reverse()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    await this.#dispose();
    if (failures.length > 0) throw new AggregateError(failures, 'closing the test world');
  }
}
