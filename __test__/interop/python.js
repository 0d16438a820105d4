/** The Python SDK of a given version, in a virtual environment that is made once and kept. */
import { execFile } from 'node:child_process';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Peer } from '../process/peer.js';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../node_modules/.cache/cairnq-python', import.meta.url));
const program = fileURLToPath(new URL('./peer.py', import.meta.url));

async function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function install(version) {
  const home = join(cache, `${version}-postgres`);
  const python = join(home, 'bin', 'python');
  if (await exists(python)) return python;
  await mkdir(cache, { recursive: true });
  // Made aside and moved into place whole: an interrupted install must not be taken for a finished one.
  const aside = `${home}.${process.pid}`;
  try {
    await run('python3', ['-m', 'venv', aside], { timeout: 120_000 });
    const pip = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      `cairnq[postgres]==${version}`,
    ];
    await run(join(aside, 'bin', 'python'), pip, { timeout: 180_000 });
    await rename(aside, home);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (!(await exists(python))) throw error;
  }
  return python;
}

/** `{python}` to run the SDK with, or `{missing}`: why it cannot be had here. */
export async function pythonSdk(version) {
  try {
    const python = await install(version);
    await run(python, ['-c', 'import cairnq, asyncpg'], { timeout: 60_000 });
    return { python };
  } catch (error) {
    const reason = String(error.stderr || error.message)
      .trim()
      .split('\n')
      .at(-1);
    return { missing: `no Python SDK ${version} here: ${reason}` };
  }
}

/** Starts the Python peer on a stage's database, ended with the test. */
export function startPython(stage, python, config) {
  const { path, dsn } = stage.world.target;
  return stage.keep(new Peer(python, [program, JSON.stringify({ path, dsn, ...config })]));
}
