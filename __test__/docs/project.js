import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { root } from './pages.js';

const EXTENSIONS = { js: 'mjs', ts: 'mts', sh: 'sh' };

/** An empty project of a user's, with this package in its node_modules, and a folder for each program. */
export class Project {
  constructor() {
    this.home = mkdtempSync(path.join(tmpdir(), 'cairnq-docs-'));
    this.#link('@cairnq/native', root);
    this.#link('@cairnq/dashboard', path.join(root, 'dashboard'));
    // The types of Node, and what a fixture looks into Postgres with.
    for (const name of ['@types', 'pg']) this.#link(name, path.join(root, 'node_modules', name));
    writeFileSync(path.join(this.home, 'package.json'), '{ "private": true, "type": "module" }\n');
  }

  #link(name, target) {
    const link = path.join(this.home, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(target, link, 'junction');
  }

  /** Writes a program into a folder of its own and gives its path. */
  write({ slug, lang, source }) {
    const folder = path.join(this.home, slug);
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `program.${EXTENSIONS[lang]}`);
    writeFileSync(file, source);
    return file;
  }

  /**
   * Runs a program in its folder to its end.
   * @returns {Promise<{ code: number | string, stdout: string, stderr: string }>}
   */
  run(file, { env = {}, timeoutMs = 20_000 } = {}) {
    const [command, ...args] = commandFor(file);
    return new Promise((resolve) => {
      const options = {
        cwd: path.dirname(file),
        env: { ...process.env, ...env, NODE_NO_WARNINGS: '1' },
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      };
      execFile(command, args, options, (error, stdout, stderr) => {
        const code = error?.killed ? `still running after ${timeoutMs} ms` : (error?.code ?? 0);
        resolve({ code: code ?? error?.signal, stdout, stderr });
      });
    });
  }

  remove() {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Node runs JavaScript; TypeScript goes through the compiler first, types alone being taken away. */
function commandFor(file) {
  if (file.endsWith('.sh')) return ['bash', '-euo', 'pipefail', file];
  if (file.endsWith('.mjs')) return [process.execPath, file];
  const source = ts.sys.readFile(file) ?? '';
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  const compiled = file.replace(/\.mts$/, '.mjs');
  writeFileSync(compiled, outputText);
  return [process.execPath, compiled];
}
