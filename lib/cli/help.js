/**
 * Help, made from what the commands say of themselves.
 *
 * @typedef {import('./options.js').Command} Command
 */
import { EXIT_CODES } from './exit.js';
import { COMMON } from './options.js';

/** @param {Command[]} commands */
export function overviewHelp(commands) {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'See and steer a cairnq task queue.',
    '',
    'Usage: cairnq COMMAND TARGET [OPTIONS]    (npx @cairnq/native COMMAND TARGET)',
    '',
    'TARGET is a SQLite file or a Postgres DSN, such as tasks.db, postgres://user@host/database or',
    '"host=/run/postgresql dbname=app". PG* variables and password files fill in what a DSN leaves out.',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Exit codes:',
    ...EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`),
    '',
    'cairnq COMMAND --help shows the options of a command, with an example.',
  ].join('\n');
}

/** @param {Command} command */
export function commandHelp(command) {
  const lines = [
    `Usage: cairnq ${command.name} ${command.operands} [OPTIONS]`,
    '',
    ...command.about,
    '',
    // What is handed on has options of its own, which it tells itself.
    ...(command.passThrough
      ? []
      : ['Options:', ...optionLines({ ...command.options, ...COMMON }), '']),
    command.examples.length === 1 ? 'Example:' : 'Examples:',
    ...command.examples.map((example) => `  ${example}`),
  ];
  return lines.join('\n');
}

/** @param {Record<string, import('./options.js').Option>} options */
function optionLines(options) {
  const names = Object.entries(options).map(([name, { short, value }]) => {
    const long = `--${name}${value === undefined ? '' : ` ${value}`}`;
    return short === undefined ? long : `-${short}, ${long}`;
  });
  const width = Math.max(...names.map((name) => name.length));
  return Object.values(options).map(
    ({ help }, index) => `  ${names[index].padEnd(width)}  ${help}`,
  );
}
