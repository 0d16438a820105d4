/**
 * From arguments to an exit code.
 *
 * @typedef {import('./options.js').Command} Command
 * @typedef {{
 *   target: string,
 *   operands: string[],
 *   values: Record<string, any>,
 *   terminal: Terminal,
 *   environment: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>,
 * }} Call
 */
import { shownTarget } from '../inspect/target.js';
import { COMMANDS } from './commands.js';
import { CliError, FAILED, OK, USAGE } from './exit.js';
import { clean } from './format.js';
import { commandHelp, overviewHelp } from './help.js';
import { parse } from './options.js';
import { Terminal } from './terminal.js';

/**
 * @param {string[]} args
 * @param {Call['environment']} environment
 * @returns {Promise<number>}
 */
export async function main(args, environment) {
  // A reader that has seen enough, such as head, ends the program without a word.
  environment.stdout.on('error', (error) => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EPIPE') process.exit(OK);
    throw error;
  });
  const json = args.includes('--json');
  const terminal = new Terminal(environment, {
    json,
    colour: args.includes('--no-color') ? false : undefined,
  });
  const name = args[0];
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const asked = COMMANDS.find((command) => command.name === args[1]);
    terminal.line(asked === undefined ? overviewHelp(COMMANDS) : commandHelp(asked));
    return name === undefined ? USAGE : OK;
  }
  try {
    const command = COMMANDS.find((known) => known.name === name);
    if (command === undefined) {
      throw new CliError(USAGE, `there is no command "${name}": cairnq --help lists them`);
    }
    return await runCommand(command, args.slice(1), terminal, environment);
  } catch (error) {
    return report(error, terminal, args);
  }
}

/**
 * @param {Command} command
 * @param {string[]} args
 * @param {Terminal} terminal
 * @param {Call['environment']} environment
 */
async function runCommand(command, args, terminal, environment) {
  const { values, operands } = parse(command, args);
  if (values.help === true) {
    terminal.line(commandHelp(command));
    return OK;
  }
  const [target, ...rest] = operands;
  return await command.run({ target, operands: rest, values, terminal, environment });
}

/**
 * @param {unknown} error
 * @param {Terminal} terminal
 * @param {string[]} args
 */
function report(error, terminal, args) {
  const exitCode = error instanceof CliError ? error.exitCode : FAILED;
  const code = /** @type {any} */ (error)?.code ?? /** @type {any} */ (error)?.cause?.code;
  const message = withoutSecrets(error instanceof Error ? error.message : String(error), args);
  if (terminal.json) {
    const told = { error: { message, code: typeof code === 'string' ? code : null, exitCode } };
    terminal.line(JSON.stringify(told, null, 2));
  } else {
    terminal.note(`${terminal.paint('red', 'cairnq:')} ${clean(message)}`);
  }
  return exitCode;
}

/**
 * A message may quote an argument, and an argument may be a DSN.
 *
 * @param {string} message
 * @param {string[]} args
 */
function withoutSecrets(message, args) {
  return args.reduce((text, arg) => text.replaceAll(arg, shownTarget(arg)), message);
}
