/**
 * An empty project with the packed packages and nothing else. Only Node's own modules here: clean containers run
 * this too (scripts/try-packages.js), with npm and no dependencies of ours.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const windows = process.platform === 'win32';

/** Programs that fail where something is amiss, each run by itself in the project. */
export const PROGRAMS = [
  'import.mjs',
  'require.cjs',
  'both.cjs',
  'subpaths.cjs',
  'thread.mjs',
  'dashboard.mjs',
];

export class Project {
  /** @param {string[]} tarballs what to install; nothing is asked of a registry or taken from a cache */
  static async create(tarballs) {
    const project = new Project();
    project.write('package.json', JSON.stringify({ name: 'empty', private: true }));
    const cache = path.join(project.folder, '.npm-cache');
    const options = ['--offline', '--no-audit', '--no-fund', '--cache', cache];
    const npm = windows ? 'npm.cmd' : 'npm';
    await run(npm, ['install', ...options, ...tarballs], { cwd: project.folder, shell: windows });
    return project;
  }

  /** A folder of its own; nothing is found in one above it. */
  constructor() {
    this.folder = mkdtempSync(path.join(tmpdir(), 'cairnq-project-'));
  }

  path(...names) {
    return path.join(this.folder, ...names);
  }

  write(name, text) {
    writeFileSync(this.path(name), text);
  }

  /** The text of an installed file. */
  installed(name) {
    return readFileSync(this.path('node_modules/@cairnq/native', name), 'utf8');
  }

  /** The names of the platform packages that were installed. */
  platformPackages() {
    const names = readdirSync(this.path('node_modules/@cairnq'));
    return names.filter((name) => name.startsWith('native-')).map((name) => `@cairnq/${name}`);
  }

  /** Brings one of `programs/` in. */
  bring(program, name = program) {
    cpSync(fileURLToPath(new URL(`programs/${program}`, import.meta.url)), this.path(name));
  }

  /**
   * Runs a file of the project and waits for its end.
   *
   * @param {string} file
   * @param {Record<string, string>} [env]
   */
  async run(file, env = {}) {
    const inherited = { ...process.env };
    // A path that was meant for the checkout must not stand in for what was installed.
    delete inherited.NAPI_RS_NATIVE_LIBRARY_PATH;
    try {
      const options = { cwd: this.folder, env: { ...inherited, ...env }, timeout: 120_000 };
      const { stdout, stderr } = await run(process.execPath, [file], options);
      return { code: 0, stdout, stderr };
    } catch (error) {
      return { code: error.code ?? error.signal, stdout: error.stdout, stderr: error.stderr };
    }
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * The first program under the README's "Quick start", and what its comments say it prints.
 *
 * @param {string} readme
 */
export function quickStart(readme) {
  const section = /^## .*quick start.*$/im.exec(readme);
  const [, program] = /```js\n([\s\S]*?)```/.exec(readme.slice(section.index));
  const prints = [...program.matchAll(/console\.log\(.*\);? \/\/ (.+)$/gm)].map(([, text]) => text);
  return { program, prints };
}
