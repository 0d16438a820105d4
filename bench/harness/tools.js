import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAddon, hostTarget, releaseEnvironment } from '../../scripts/addon.js';
import { installDependencies, root } from '../../scripts/bootstrap.js';
import { runProgram } from './actor.js';

const here = fileURLToPath(new URL('..', import.meta.url));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Everything a run needs built or installed: our addon, the Rust loop, the peers. */
export class Tools {
  /** What could not be had, with the reason. @type {Record<string, string>} */
  missing = {};
  #ceiling;
  #python = null;

  /** Cold this takes minutes, afterwards a second. */
  static prepare() {
    const tools = new Tools();
    installDependencies();
    // A developer may measure binaries built elsewhere.
    if (!process.env.NAPI_RS_NATIVE_LIBRARY_PATH && buildAddon({ release: true }) !== 0) {
      throw new Error('the addon does not build');
    }
    tools.#ceiling = process.env.CAIRNQ_BENCH_CEILING ?? buildCeiling();
    tools.#try('npm peers', installPeers);
    tools.#try('Python cairnq', () => {
      tools.#python = installPython();
    });
    return tools;
  }

  /**
   * Tasks per second of the bare Rust loop.
   * @param {object} job see ceiling/job.rs
   * @returns {Promise<number>}
   */
  async ceiling(job) {
    const text = JSON.stringify({ name: 'noop', queue: 'default', ...job });
    const { tasks, seconds } = await runProgram(this.#ceiling, [text]);
    return tasks / seconds;
  }

  /**
   * @param {object} params see peers/cairnq_peer.py
   * @returns {Promise<any>}
   */
  async python(params) {
    if (this.#python === null) throw new Error(this.missing['Python cairnq']);
    const script = path.join(here, 'peers/cairnq_peer.py');
    return await runProgram(this.#python, [script, JSON.stringify(params)]);
  }

  #try(name, install) {
    try {
      install();
    } catch (error) {
      this.missing[name] = `not installed: ${error.message}`;
    }
  }
}

function buildCeiling() {
  const args = ['build', '--release', '--locked', '--features', 'bench', '--bin', 'ceiling'];
  args.push('--target', hostTarget(), '--message-format', 'json-render-diagnostics');
  const output = execFileSync('cargo', args, {
    cwd: root,
    env: { ...process.env, ...releaseEnvironment(hostTarget()) },
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const artifacts = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return artifacts.find(({ executable, target }) => executable && target.name === 'ceiling')
    .executable;
}

function installPeers() {
  const wanted = readFileSync(path.join(here, 'package-lock.json'), 'utf8');
  const record = path.join(here, 'node_modules/.bench-lock.json');
  if (existsSync(record) && readFileSync(record, 'utf8') === wanted) return;
  console.log('installing the peers from npm');
  // One of them compiles SQLite where its prebuilt binary cannot be had.
  succeed(npm, ['ci', '--no-audit', '--no-fund'], { MAKEFLAGS: '-j2' });
  writeFileSync(record, wanted);
}

function installPython() {
  const wanted = readFileSync(path.join(here, 'peers/requirements.txt'), 'utf8');
  const home = path.join(here, '.cache/python');
  const python = path.join(
    home,
    process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python',
  );
  const record = path.join(home, 'requirements.txt');
  if (existsSync(record) && readFileSync(record, 'utf8') === wanted) return python;
  console.log('installing the Python peer');
  succeed('python3', ['-m', 'venv', home]);
  succeed(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '-r',
    path.join(here, 'peers/requirements.txt'),
  ]);
  writeFileSync(record, wanted);
  return python;
}

function succeed(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: here,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}
