/**
 * What a command takes, as data: the parser, the help and docs/command-line.md all come from it.
 *
 * @typedef {{ type: 'string' | 'boolean', value?: string, short?: string, help: string, group?: 'common' }} Option
 * @typedef {{ values: Record<string, any>, operands: string[] }} Parsed
 * @typedef {{
 *   name: string,
 *   summary: string,
 *   operands: string,
 *   about: string[],
 *   options: Record<string, Option>,
 *   examples: string[],
 *   most?: number,
 *   least?: number,
 *   passThrough?: boolean,
 *   run: (call: import('./main.js').Call) => Promise<number>,
 * }} Command
 */
import { parseArgs } from 'node:util';
import { usage } from './exit.js';

/** @type {Record<string, Option>} */
export const COMMON = {
  json: { type: 'boolean', help: 'print JSON for programs instead of text for people' },
  schema: { type: 'string', value: 'NAME', help: 'Postgres: the schema of the installation' },
  'no-color': { type: 'boolean', help: 'no colour, as with NO_COLOR=1 or in a pipe' },
  help: { type: 'boolean', short: 'h', help: 'show this' },
};

/**
 * @param {Command} command
 * @param {string[]} args
 * @returns {Parsed}
 */
export function parse(command, args) {
  if (command.passThrough) {
    const help = args[0] === '--help' || args[0] === '-h';
    if (!help && (args.length === 0 || args[0].startsWith('-'))) {
      throw usage(`TARGET comes first: cairnq ${command.name} ${command.operands}`);
    }
    return { values: { help }, operands: args };
  }
  const known = { ...command.options, ...COMMON };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, short }]) => [
      name,
      short ? { type, short } : { type },
    ]),
  );
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(/** @type {Error} */ (error).message);
  }
  const { values, positionals: operands } = parsed;
  if (values.help === true) return { values, operands };
  const { least = 1, most = least } = command;
  if (operands.length < least || operands.length > most) {
    const wanted = `cairnq ${command.name} ${command.operands}`;
    const given = operands.length < least ? 'something is missing' : 'there is too much';
    throw usage(`${given}: ${wanted}`);
  }
  return { values, operands };
}
