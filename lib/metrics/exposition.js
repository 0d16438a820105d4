/**
 * The Prometheus text format: families of samples, each with a type, a help text and labels.
 *
 * @typedef {Record<string, string>} Labels
 * @typedef {{ count: number, sumMs: number, boundsMs: number[], counts: number[] }} Histogram
 */

/** What a server says this text is. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export class Exposition {
  #lines = /** @type {string[]} */ ([]);

  /**
   * @param {'gauge' | 'counter'} type
   * @param {string} name
   * @param {string} help
   * @param {Iterable<[labels: Labels, value: number]>} samples
   */
  family(type, name, help, samples) {
    this.#head(type, name, help);
    for (const [labels, value] of samples) this.#sample(name, labels, value);
  }

  /**
   * Durations are given in seconds, as Prometheus has them, and buckets cumulative.
   *
   * @param {string} name ends in `_seconds`
   * @param {string} help
   * @param {Histogram} histogram
   */
  histogram(name, help, { count, sumMs, boundsMs, counts }) {
    this.#head('histogram', name, help);
    let below = 0;
    for (const [index, boundMs] of boundsMs.entries()) {
      below += counts[index];
      this.#sample(`${name}_bucket`, { le: String(boundMs / 1000) }, below);
    }
    this.#sample(`${name}_bucket`, { le: '+Inf' }, count);
    this.#sample(`${name}_sum`, {}, sumMs / 1000);
    this.#sample(`${name}_count`, {}, count);
  }

  toString() {
    return this.#lines.join('');
  }

  /**
   * @param {string} type
   * @param {string} name
   * @param {string} help
   */
  #head(type, name, help) {
    this.#lines.push(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
  }

  /**
   * @param {string} name
   * @param {Labels} labels
   * @param {number} value
   */
  #sample(name, labels, value) {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    const braces = pairs.length > 0 ? `{${pairs.join(',')}}` : '';
    this.#lines.push(`${name}${braces} ${value}\n`);
  }
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
