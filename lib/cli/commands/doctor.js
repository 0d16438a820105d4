import { shownTarget } from '../../inspect/target.js';
import { examine } from '../doctor/examine.js';
import { OK, PROBLEM } from '../exit.js';
import { plural } from '../format.js';
import { inspecting } from '../open.js';
import { durationMs } from '../values.js';
import { wrapped } from '../wrap.js';

/** @type {import('../options.js').Command} */
export const doctor = {
  name: 'doctor',
  summary: 'find what is wrong, explain it, and say what helps',
  operands: 'TARGET',
  about: [
    'Examines the schema, the files or the server, and the work itself at two looks a moment apart. Changes',
    'nothing. Exit code 1 when there is a problem or a warning. What it cannot know it says.',
  ],
  options: {
    wait: { type: 'string', value: 'SPAN', help: 'between the two looks (2s)' },
    long: {
      type: 'string',
      value: 'SPAN',
      help: 'a task that runs longer without progress is named (10m)',
    },
    since: { type: 'string', value: 'SPAN', help: 'how far back failures are looked for (24h)' },
    transaction: {
      type: 'string',
      value: 'SPAN',
      help: 'Postgres: a transaction this old is named (1m)',
    },
  },
  examples: ['cairnq doctor postgres://app@db.example.org/app'],
  async run(call) {
    const { target, values, terminal } = call;
    const span = (/** @type {string} */ name, /** @type {string} */ otherwise) =>
      durationMs(values[name] ?? otherwise, `--${name}`);
    const how = {
      target,
      schema: values.schema,
      apartMs: span('wait', '2s'),
      longMs: span('long', '10m'),
      sinceMs: span('since', '24h'),
      transactionMs: span('transaction', '1m'),
      warnings: collectedWarnings(),
    };
    return await inspecting(call, async (inspector) => {
      const { findings, unknown } = await examine(inspector, how);
      const wrong = findings.filter(({ severity }) => severity !== 'note');
      const told = { target: shownTarget(target), healthy: wrong.length === 0, findings, unknown };
      terminal.answer(told, () => print(findings, unknown, terminal));
      return wrong.length === 0 ? OK : PROBLEM;
    });
  },
};

/** What opening the database warns of becomes a finding instead of a line of Node's own. */
function collectedWarnings() {
  /** @type {Error[]} */
  const warnings = [];
  process.removeAllListeners('warning');
  process.on('warning', (warning) => warnings.push(warning));
  return warnings;
}

const MARKS = /** @type {const} */ ({
  problem: ['✗', 'red'],
  warning: ['!', 'yellow'],
  note: ['·', 'blue'],
});

/**
 * @param {import('../doctor/finding.js').Finding[]} findings
 * @param {string[]} unknown
 * @param {import('../terminal.js').Terminal} terminal
 */
function print(findings, unknown, terminal) {
  const { paint } = terminal;
  const width = Math.min(terminal.width, 100);
  for (const { severity, title, explanation, remedy } of findings) {
    const [mark, colour] = MARKS[severity];
    for (const [index, line] of wrapped(title, width - 2).entries()) {
      terminal.line(`${index === 0 ? paint(colour, mark) : ' '} ${paint('bold', line)}`);
    }
    for (const line of wrapped(explanation, width - 2)) terminal.line(`  ${line}`);
    if (severity !== 'note') {
      for (const line of wrapped(`→ ${remedy}`, width - 2))
        terminal.line(`  ${paint('green', line)}`);
    }
    terminal.line();
  }
  const problems = findings.filter(({ severity }) => severity === 'problem').length;
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  terminal.line(
    problems + warnings === 0
      ? paint('green', 'nothing found amiss')
      : `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}`,
  );
  terminal.line();
  terminal.line(paint('dim', 'doctor cannot know:'));
  for (const item of unknown) {
    for (const [index, line] of wrapped(item, width - 2).entries()) {
      terminal.line(paint('dim', `${index === 0 ? '-' : ' '} ${line}`));
    }
  }
}
