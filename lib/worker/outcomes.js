/**
 * The outcomes of one turn of the event loop, gathered so that they go down in one crossing. Once no
 * call is left whose outcome could come with them they go down at once, and the calls that come back
 * begin in the same turn: a turn for each would cost more than a handler that returns at once.
 */
// From the module, not the global: an application's fake timers must not stop the worker.
import { setImmediate } from 'node:timers';

/** How the native side reads an outcome; see `settle` of its worker. */
export const DONE = 0;
export const COMPLETE = 1;
export const FAIL_RETRYABLE = 2;
export const FAIL_FINAL = 3;
export const SETTLED = 4;
export const LOST = 5;

/** How long calls follow each other within one turn, before timers and sockets have theirs. */
const TURN_MS = 0.5;

/** So many crossings in one turn are enough, also where an application has stopped the clock. */
const TURN_SENDS = 256;

export class Outcomes {
  #flush;
  #moreToCome;
  /** Pairs of kind and handle (or call). @type {number[]} */
  #codes = [];
  /** JSON texts, in the order of the kinds that carry one. @type {string[]} */
  #lines = [];
  /** Whether the end of the turn is waited for. */
  #ending = false;
  #turnBegan = Number.NEGATIVE_INFINITY;
  #sends = 0;

  /**
   * @param {() => void} flush called when something was recorded, once a turn at least
   * @param {() => boolean} moreToCome whether calls are under way
   */
  constructor(flush, moreToCome) {
    this.#flush = flush;
    this.#moreToCome = moreToCome;
  }

  /** Whether a flush is due. */
  get isDue() {
    return this.#codes.length > 0;
  }

  /**
   * @param {number} kind
   * @param {number} ref a handle, or for DONE a call
   * @param {string} [line]
   */
  record(kind, ref, line) {
    this.#codes.push(kind, ref);
    if (line !== undefined) this.#lines.push(line);
    if (this.#ending) return;
    this.#ending = true;
    setImmediate(this.#end);
  }

  /** A turn begins otherwise than with what was recorded in the last. */
  begin() {
    this.#turnBegan = performance.now();
    this.#sends = 0;
  }

  /** A call is over, and with it perhaps the last that could add to what was recorded. */
  complete() {
    if (this.#moreToCome() || this.#sends >= TURN_SENDS) return;
    if (performance.now() - this.#turnBegan >= TURN_MS) return;
    queueMicrotask(this.#sendIfComplete);
  }

  /** Hands over what was gathered. JSON.stringify never emits a raw newline, so one joins. */
  take() {
    const codes = new Uint32Array(this.#codes);
    const text = this.#lines.join('\n');
    this.#codes.length = 0;
    this.#lines.length = 0;
    return { codes, text };
  }

  #end = () => {
    this.#ending = false;
    this.begin();
    this.#send();
  };

  // Of calls that are begun together the first may be over before the last has begun.
  #sendIfComplete = () => {
    if (!this.#moreToCome()) this.#send();
  };

  #send = () => {
    if (!this.isDue) return;
    this.#sends += 1;
    this.#flush();
  };
}
