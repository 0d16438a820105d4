/**
 * The one meeting point of this JavaScript thread with the native side. Requests go down as
 * synchronous calls that return at once; answers and events come up in batches, taken in one
 * crossing each. Native handles never hold the process; what should hold it is counted here.
 *
 * @typedef {(event: any) => void} Listener
 * @typedef {{ createdAtMs: number, runAtMs: number }} Times of a task just submitted
 * @typedef {{ resolve: (answer: any) => void, reject: (error: Error) => void, holds: boolean }} Waiting
 */
// From the module, not the global: an application's fake timers must not stop ours.
import { setInterval } from 'node:timers';
import loadAddon from './addon.cjs';
import { fromNative } from './errors.js';

const RESOLVE = 0;
const REJECT = 1;
const EVENT = 2;
const WARNING = 3;
const KINDS = 5;

/** Numbers that cross as Uint32. */
const ID_LIMIT = 2 ** 32;

/** Longest interval that Node takes; its callback has nothing to do. */
const KEEP_ALIVE_MS = 2 ** 30;

export class Bridge {
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {Map<number, Listener>} */
  #listeners = new Map();
  #lastId = 0;
  #lastChannel = 0;
  #holding = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #keepAlive;

  /** @param {typeof import('../native.cjs')} addon the native classes */
  constructor(addon) {
    this.addon = addon;
    this.native = new addon.NativeBridge(() => this.drain(false));
  }

  /**
   * @param {(id: number) => void} send makes the native call; its throw rejects the request
   * @returns {Promise<string>} the answer's JSON text, '' for none
   */
  request(send) {
    return new Promise((resolve, reject) => {
      const id = this.expect(resolve, reject);
      try {
        send(id);
      } catch (error) {
        this.refuse(id, error);
      }
    });
  }

  /**
   * Prepares for an answer.
   *
   * @param {(answer: any) => void} resolve takes the answer's JSON text, or the {@link Times} of a new task
   * @param {(error: Error) => void} reject
   * @returns {number} the request's id
   */
  expect(resolve, reject) {
    const id = this.#freeId();
    const holds = !background;
    this.#waiting.set(id, { resolve, reject, holds });
    if (holds) this.#hold();
    return id;
  }

  /**
   * Rejects a request that could not be sent.
   *
   * @param {number} id
   * @param {any} error
   */
  refuse(id, error) {
    this.#take(id)?.reject(error);
  }

  /** A number under which a worker's events arrive. */
  openChannel() {
    this.#lastChannel += 1;
    return this.#lastChannel;
  }

  /**
   * @param {number} channel
   * @param {Listener} listener must not throw
   */
  listen(channel, listener) {
    this.#listeners.set(channel, listener);
  }

  /** @param {number} channel */
  unlisten(channel) {
    this.#listeners.delete(channel);
  }

  /**
   * Delivers whatever waits.
   *
   * @param {boolean} again whether it will be called again at once, so that nothing need wake it
   */
  // Called from native code, where a throw would end the process: a listener's bug surfaces as an
  // uncaught exception of its own turn instead.
  drain(again) {
    try {
      const batch = this.native.drain(again);
      if (batch === null) return;
      for (let i = 0; i < batch.length; i += 2) {
        const head = /** @type {number} */ (batch[i]);
        const kind = head % KINDS;
        this.#deliver((head - kind) / KINDS, kind, /** @type {string} */ (batch[i + 1]));
      }
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  /**
   * @param {number} id
   * @param {number} kind
   * @param {string} text
   */
  #deliver(id, kind, text) {
    try {
      if (kind === RESOLVE) {
        this.#take(id)?.resolve(text);
      } else if (kind === REJECT) {
        this.#take(id)?.reject(fromNative(JSON.parse(text)));
      } else if (kind === EVENT) {
        this.#listeners.get(id)?.(JSON.parse(text));
      } else if (kind === WARNING) {
        const { name, message } = JSON.parse(text);
        process.emitWarning(message, name);
      } else {
        this.#submitted(JSON.parse(`[${text}]`));
      }
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  /** @param {number[]} numbers the two times of new tasks, and the requests that submitted them */
  #submitted([createdAtMs, runAtMs, ...ids]) {
    const times = { createdAtMs, runAtMs };
    for (const id of ids) this.#take(id)?.resolve(times);
  }

  /**
   * Who waits for the answer to a request; nobody from now on.
   *
   * @param {number} id
   */
  #take(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting?.holds) this.#release();
    return waiting;
  }

  #freeId() {
    do {
      this.#lastId = (this.#lastId + 1) % ID_LIMIT;
    } while (this.#waiting.has(this.#lastId));
    return this.#lastId;
  }

  #hold() {
    this.#holding += 1;
    if (this.#holding > 1) return;
    if (this.#keepAlive === undefined) this.#keepAlive = setInterval(() => {}, KEEP_ALIVE_MS);
    else this.#keepAlive.ref();
  }

  #release() {
    this.#holding -= 1;
    if (this.#holding === 0) this.#keepAlive?.unref();
  }
}

/** @type {Bridge | undefined} */
let shared;

/** This thread's bridge, made at first use so that importing the package starts nothing. */
export function bridge() {
  shared ??= new Bridge(loadAddon());
  return shared;
}

let background = false;

/**
 * Runs `start` so that the requests it makes before it first awaits do not hold the process.
 *
 * @template T
 * @param {() => T} start
 * @returns {T}
 */
export function inBackground(start) {
  const before = background;
  background = true;
  try {
    return start();
  } finally {
    background = before;
  }
}
