import { alternate } from './alternate.js';
import { rounded } from './statistics.js';

/** What a scenario is given: how thorough to be, contestants to run, and where its rows go. */
export class Bench {
  /** @type {object[]} */
  rows = [];
  /** Contestants that could not run, with the reason. @type {Record<string, string>} */
  notes;

  /**
   * @param {{ quick: boolean, rounds: number | null }} options
   * @param {import('./tools.js').Tools} tools
   * @param {(row: object) => void} show is given each row as it comes
   */
  constructor(options, tools, show) {
    this.quick = options.quick;
    this.rounds = options.rounds ?? (options.quick ? 2 : 5);
    this.tools = tools;
    this.notes = { ...tools.missing };
    this.show = show;
  }

  /**
   * The medians of contestants run in turn. Ours have to run; another that fails is left out and named in the notes.
   * @param {Record<string, any>} contestants see alternate(); ours are named "ours..."
   * @param {{ rounds?: number }} [options]
   * @returns {Promise<Record<string, any>>}
   */
  async alternate(contestants, { rounds = this.rounds } = {}) {
    return await alternate(rounds, contestants, (name, error) => {
      if (name.startsWith('ours')) throw error;
      this.notes[name] = error.message;
    });
  }

  /**
   * Adds a row, unless the figure or what it is compared with could not be measured.
   * @param {object} row
   * @param {string} row.name what was measured
   * @param {string} row.backend
   * @param {number | undefined} row.value ours
   * @param {string} row.unit
   * @param {{ name: string, value: number | undefined }} [row.against] what it is compared with
   * @param {import('./targets.js').Target} [row.target]
   */
  row({ name, backend, value, unit, against, target }) {
    if (value === undefined || (against && against.value === undefined)) return;
    const ratio = against ? value / against.value : null;
    const row = {
      name,
      backend,
      value: rounded(value),
      unit,
      against: against?.name ?? null,
      againstValue: against ? rounded(against.value) : null,
      ratio: ratio === null ? null : rounded(ratio),
      target: target?.text ?? null,
      met: target ? target.isMet(value, ratio) : null,
    };
    this.rows.push(row);
    this.show(row);
  }
}
