import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError, FAILED, PROBLEM } from '../exit.js';

const PACKAGE = '@cairnq/dashboard';

/** @type {import('../options.js').Command} */
export const dashboard = {
  name: 'dashboard',
  summary: `a dashboard in the browser (${PACKAGE})`,
  operands: 'TARGET',
  passThrough: true,
  about: [
    `Starts ${PACKAGE} on the database, when it is installed. It is a package of its own, so that a`,
    'worker does not carry it. Everything behind TARGET is handed to it as it is;',
    '"cairnq dashboard TARGET --help" lists its options. It exits with 0, 1 or 2.',
  ],
  options: {},
  examples: ['cairnq dashboard tasks.db --read-only'],
  async run({ target, operands, environment }) {
    const program = installed();
    if (program === undefined) {
      throw new CliError(PROBLEM, `${PACKAGE} is not installed: npm install ${PACKAGE}`);
    }
    const child = spawn(process.execPath, [program, target, ...operands], {
      stdio: 'inherit',
      env: environment.env,
    });
    // Both are in the terminal's group: it hears of Ctrl-C itself, and we end when it has.
    const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
    const ignore = () => {};
    process.on('SIGTERM', forward);
    process.on('SIGINT', ignore);
    try {
      const [code] = await once(child, 'exit');
      return code ?? FAILED;
    } finally {
      process.off('SIGTERM', forward);
      process.off('SIGINT', ignore);
    }
  },
};

/** Its program: from where the command is run, or from beside this package. */
function installed() {
  for (const from of [
    pathToFileURL(path.join(process.cwd(), 'package.json')).href,
    import.meta.url,
  ]) {
    try {
      const manifest = createRequire(from).resolve(`${PACKAGE}/package.json`);
      const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
      const program = typeof bin === 'string' ? bin : Object.values(bin)[0];
      return path.join(path.dirname(manifest), program);
    } catch {
      // Not there; the other place may have it.
    }
  }
  return undefined;
}
