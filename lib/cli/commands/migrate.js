import { existsSync } from 'node:fs';
import { ask } from '../../inspect/ask.js';
import { Inspector } from '../../inspect/inspector.js';
import { DEFAULT_LEVEL, LATEST_LEVEL, missingMigrations } from '../../inspect/levels.js';
import { fileOf, kindOf, shownTarget } from '../../inspect/target.js';
import { OK, PROBLEM } from '../exit.js';
import { migrating, opened } from '../open.js';
import { whole } from '../values.js';

/** @type {import('../options.js').Command} */
export const migrate = {
  name: 'migrate',
  summary: 'bring the schema to a named level',
  operands: 'TARGET',
  about: [
    `Makes the tables where there are none, and brings the schema to a level: ${DEFAULT_LEVEL}, which every cairnq`,
    `since 0.6 works with, up to ${LATEST_LEVEL}, the newest. Shows what it will do and asks first, unless --yes. There is`,
    'no way back: a database at a higher level stays there. Indexes are built while writers wait.',
  ],
  options: {
    to: {
      type: 'string',
      value: 'LEVEL',
      help: `${DEFAULT_LEVEL} to ${LATEST_LEVEL}, or "latest" (${DEFAULT_LEVEL})`,
    },
    'dry-run': { type: 'boolean', help: 'only show; exit code 1 when there is something to do' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
  },
  examples: ['cairnq migrate tasks.db --to 10'],
  async run(call) {
    const { target, values, terminal } = call;
    const to = wantedLevel(values.to ?? String(DEFAULT_LEVEL));
    const backend = kindOf(target);
    const { level, applied, exists } = await current(call);
    const missing = missingMigrations(applied, to, backend);
    const plan = { target: shownTarget(target), exists, level, to, steps: missing };
    if (missing.length === 0) {
      terminal.answer({ ...plan, done: false }, () =>
        terminal.line(`nothing to do: the schema is at level ${level}`),
      );
      return OK;
    }
    if (!terminal.json) {
      terminal.line(
        exists
          ? `the schema is at level ${level}; to level ${to}:`
          : `a new database, to level ${to}:`,
      );
      for (const { name, effect } of missing) terminal.line(`  ${name}  ${effect}`);
    }
    if (values['dry-run']) {
      terminal.answer({ ...plan, done: false }, () => {});
      return PROBLEM;
    }
    await terminal.confirm(`Migrate ${shownTarget(target)} to level ${to}?`, values.yes);
    await migrating(call, to);
    terminal.answer({ ...plan, done: true }, () => terminal.line(`the schema is at level ${to}`));
    return OK;
  },
};

/** @param {string} text */
function wantedLevel(text) {
  if (text === 'latest') return LATEST_LEVEL;
  return whole(text, '--to', { least: DEFAULT_LEVEL, most: LATEST_LEVEL });
}

/** @param {import('../main.js').Call} call */
async function current(call) {
  const { target, values } = call;
  const nothing = { level: 0, applied: [], exists: false };
  if (kindOf(target) === 'sqlite' && !existsSync(fileOf(target))) return nothing;
  return await opened(call, async () => {
    let inspector;
    try {
      inspector = await Inspector.open(target, { schema: values.schema, max: 2 });
    } catch (error) {
      if (/** @type {any} */ (error).code === 'CAIRNQ_NO_TABLES') return nothing;
      throw error;
    }
    try {
      const { level } = await ask(inspector.store, 'meta');
      const { ledger } = await inspector.facts();
      const applied = ledger.rows.map((/** @type {any} */ { name }) => name);
      return { level, applied, exists: true };
    } finally {
      await inspector.close();
    }
  });
}
