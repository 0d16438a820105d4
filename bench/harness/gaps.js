import { performance } from 'node:perf_hooks';

/**
 * Watches how late a 10 ms interval comes. monitorEventLoopDelay cannot see a loop that never turns while it starts:
 * its first tick sets the baseline.
 */
export class Gaps {
  #gaps = [];
  #last = performance.now();
  #timer = setInterval(() => this.#tick(), 10);

  #tick() {
    const now = performance.now();
    this.#gaps.push(now - this.#last);
    this.#last = now;
  }

  /** Every gap between two ticks in milliseconds, the one still open included. */
  stop() {
    this.#tick();
    clearInterval(this.#timer);
    return this.#gaps;
  }
}
