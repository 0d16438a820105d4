import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../lib/cli/commands.js';
import { commandHelp, overviewHelp } from '../../lib/cli/help.js';
import { INDEXES, LATEST_LEVEL, MIGRATIONS } from '../../lib/inspect/levels.js';
import { cairnq } from './run.js';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/command-line.md', root), 'utf8');

it('docs/command-line.md has the help of every command, word for word', () => {
  expect(page).toContain(`\`\`\`text\n${overviewHelp(COMMANDS)}\n\`\`\``);
  for (const command of COMMANDS) {
    expect(page, command.name).toContain(`## ${command.name}\n`);
    expect(page, command.name).toContain(`\`\`\`text\n${commandHelp(command)}\n\`\`\``);
  }
});

it.each(COMMANDS.map((command) => [command.name, command]))(
  '%s --help shows its options and an example that parses',
  async (name, command) => {
    const { code, out } = await cairnq([name, '--help']);
    expect([code, out]).toEqual([0, `${commandHelp(command)}\n`]);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) expect(example).toMatch(new RegExp(`cairnq ${name} `));
  },
);

it('the levels are those of the migrations', () => {
  for (const backend of ['sqlite', 'postgres']) {
    const files = readdirSync(new URL(`protocol/migrations/${backend}/`, root)).sort();
    const known = MIGRATIONS.filter(({ postgresOnly }) => backend === 'postgres' || !postgresOnly);
    expect(known.map(({ name }) => name)).toEqual(files);
    for (const { name, level } of known) expect(Number(name.slice(0, 4))).toBe(level);
    const texts = files.map((file) =>
      readFileSync(new URL(`protocol/migrations/${backend}/${file}`, root), 'utf8'),
    );
    const made = new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/create index (?:if not exists )?(\w+)/gi)].map(([, name]) => name),
      ),
    );
    made.add('cairnq_task_keys_task_id_idx');
    expect([...made].sort()).toEqual(INDEXES.map(({ name }) => name).sort());
  }
  expect(MIGRATIONS.at(-1).level).toBe(LATEST_LEVEL);
});
