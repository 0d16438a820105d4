import { PostgresBench } from './postgres.js';
import { SqliteBench } from './sqlite.js';

const kinds = { sqlite: SqliteBench, postgres: PostgresBench };

/**
 * Opens the databases to measure on. One that is not to be had here is left out and named in the notes.
 * @param {string[]} names
 * @param {{ durable: boolean }} options
 * @param {Record<string, string>} notes
 */
export async function openBackends(names, options, notes) {
  const opened = [];
  for (const name of names) {
    const Kind = kinds[name];
    if (Kind === undefined) throw new Error(`no such backend: ${name}`);
    try {
      const backend = await Kind.open(options);
      opened.push(backend);
    } catch (error) {
      notes[name] = `not measured: ${error.message}`;
    }
  }
  return opened;
}
