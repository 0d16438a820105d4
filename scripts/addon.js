import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { root, runBin } from './bootstrap.js';

/**
 * The machine's own target triple. `napi build` always hands cargo a target; unless `cargo test` and clippy
 * get the same one, every dependency is compiled twice.
 */
export function hostTarget() {
  const about = execFileSync('rustc', ['-vV'], { cwd: root, encoding: 'utf8' });
  return /^host: (.+)$/m.exec(about)[1];
}

/**
 * Compiles the addon and writes the loader (native.cjs) and its types (native.d.cts). cargo does nothing when
 * nothing changed. Gives the exit code.
 *
 * @param {object} options
 * @param {boolean} options.release
 * @param {string} [options.target] a target triple; this machine's own unless given
 * @param {string[]} [options.cross] what `napi build` is told besides to compile for another system
 */
export function buildAddon({ release, target = hostTarget(), cross = [] }) {
  const args = ['build', '--platform', '--js', 'native.cjs', '--dts', 'native.d.cts'];
  args.push('--target', target, ...cross);
  if (release) args.push('--release');
  const env = release ? releaseEnvironment(target) : {};
  return runBin('@napi-rs/cli', 'napi', [...args, '--', '--locked'], { env });
}

/**
 * What makes a release build name no path of the machine it is made on: panic messages and `file!()` show where a
 * source lies below its crate, and nothing above that. A build with other flags compiles every dependency anew, so
 * all release builds share these.
 */
export function releaseEnvironment(target) {
  const flags = [...sourcePlaces(target)]
    // The flags are one string that is split at blanks; such a path is left to scripts/check-binary.js to find.
    .filter(([place]) => !/\s/.test(place))
    .map(([place, name]) => `--remap-path-prefix=${place}=${name}`);
  return { RUSTFLAGS: [process.env.RUSTFLAGS, ...flags].filter(Boolean).join(' ') };
}

/** The folders that sources are compiled from, and what they are to be called. */
function sourcePlaces(target) {
  const args = ['metadata', '--locked', '--format-version', '1', '--filter-platform', target];
  const about = execFileSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 27 });
  const crates = JSON.parse(about).packages.map((crate) => path.dirname(crate.manifest_path));
  const places = new Map(crates.map((folder) => [path.dirname(folder), '/crates']));
  // Later ones win: this crate lies in a folder too.
  places.delete(path.dirname(path.resolve(root)));
  places.set(path.resolve(root), '/cairnq-native');
  return places;
}
