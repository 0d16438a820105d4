import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// Nothing but Node's own modules here: these scripts run before anything is installed.

/** The repository. Every command runs there, wherever it was called from. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Ends the process with the command's own code when it fails. */
export function mustRun(command, args, options) {
  const code = run(command, args, options);
  if (code !== 0) process.exit(code);
}

/** Runs a command with its output shown and gives its exit code. */
export function run(command, args, { env, cwd = root } = {}) {
  const { status, signal, error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error) throw new Error(`cannot run ${command}: ${error.message}`);
  if (signal) console.error(`${command} was ended by ${signal}`);
  return status ?? 1;
}

/** Runs a package's command line program under this Node, without a shell or a wrapper between. */
export function runBin(packageName, bin, args, options) {
  return run(process.execPath, [binPath(packageName, bin), ...args], options);
}

/** Where a package has its command line program. */
export function binPath(packageName, bin) {
  const require = createRequire(path.join(root, 'package.json'));
  const manifest = require.resolve(`${packageName}/package.json`);
  return path.join(path.dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin[bin]);
}

/**
 * Installs the dependencies of a folder when they are missing or not those of its lock file.
 * @param {string} [folder] the repository unless given
 */
export function installDependencies(folder = root) {
  if (installedAsLocked(folder)) return;
  console.log(`installing the npm dependencies of ${path.relative(root, folder) || 'the package'}`);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  mustRun(npm, ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: folder });
}

function installedAsLocked(folder) {
  const record = path.join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')).packages;
  for (const [where, wanted] of Object.entries(locked)) {
    // What is optional may belong to another platform; the package itself has no entry of its own.
    if (where === '' || (wanted.optional && !installed[where])) continue;
    if (installed[where]?.integrity !== wanted.integrity) return false;
  }
  return Object.keys(installed).every((where) => where in locked);
}
