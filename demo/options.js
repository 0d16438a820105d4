import path from 'node:path';
import { parseArgs } from 'node:util';

export const usage = `npm run demo                     index this repository with a durable task queue
npm run demo -- FOLDER           index the text files under FOLDER instead
npm run demo -- --query WORD     look WORD up in the index of the last run`;

/**
 * @param {string[]} args
 * @returns {{ folder?: string, query?: string, help?: boolean }}
 */
export function parseOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { query: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (positionals.length > 1)
    throw new Error(`one folder at a time, got ${positionals.join(', ')}`);
  if (values.query === '') throw new Error('--query needs a word');
  // npm runs scripts in the repository; a relative folder is meant from where npm was called.
  const from = process.env.INIT_CWD ?? process.cwd();
  const folder = positionals.length > 0 ? path.resolve(from, positionals[0]) : undefined;
  return { ...values, folder };
}
