/**
 * The outcomes of one turn of the event loop, gathered so that they go down in one crossing.
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

export class Outcomes {
  #flush;
  /** Pairs of kind and handle (or call). @type {number[]} */
  #codes = [];
  /** JSON texts, in the order of the kinds that carry one. @type {string[]} */
  #lines = [];
  #scheduled = false;

  /** @param {() => void} flush called once per turn in which something was recorded */
  constructor(flush) {
    this.#flush = () => {
      this.#scheduled = false;
      flush();
    };
  }

  /** Whether a flush is due at the end of this turn. */
  get isDue() {
    return this.#scheduled;
  }

  /**
   * @param {number} kind
   * @param {number} ref a handle, or for DONE a call
   * @param {string} [line]
   */
  record(kind, ref, line) {
    this.#codes.push(kind, ref);
    if (line !== undefined) this.#lines.push(line);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  /** Hands over what was gathered. JSON.stringify never emits a raw newline, so one joins. */
  take() {
    const codes = Uint32Array.from(this.#codes);
    const text = this.#lines.join('\n');
    this.#codes.length = 0;
    this.#lines.length = 0;
    return { codes, text };
  }
}
