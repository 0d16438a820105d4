// The packages as they are published: the package itself, one package per platform with the binary for it, and the
// dashboard. They are laid out in a folder of their own, because what is published differs from the checkout: it names
// the platform packages, which need not exist yet for a checkout to install.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { binPath, root } from './bootstrap.js';

/** Fields of package.json that mean something in a checkout only. */
const OF_THE_CHECKOUT = [
  'allowScripts',
  'devDependencies',
  'napi',
  'overrides',
  'private',
  'scripts',
  'workspaces',
];

/** What goes with every binary: our licence, and whose code it is built from. */
const NOTICES = ['LICENSE', 'THIRD-PARTY.md'];

/**
 * Lays the packages out in `out` and packs them.
 *
 * @param {object} options
 * @param {string} options.out an empty folder
 * @param {string} [options.binaries] where the .node files are
 * @returns {{ main: string, dashboard: string, platforms: Record<string, string>, missing: string[] }} paths of the
 *   tarballs, those of the platforms by name, and the platforms there is no binary for
 */
export function packAll({ out, binaries = root }) {
  const manifest = publishedManifest();
  const names = layOutPlatforms(out, manifest);
  const platforms = {};
  const missing = [];
  for (const name of names) {
    const folder = path.join(out, 'npm', name);
    const binary = readJson(path.join(folder, 'package.json')).main;
    if (!existsSync(path.join(binaries, binary))) {
      missing.push(name);
      continue;
    }
    cpSync(path.join(binaries, binary), path.join(folder, binary));
    for (const notice of NOTICES) cpSync(path.join(root, notice), path.join(folder, notice));
    platforms[name] = pack(folder, out);
  }
  return {
    main: pack(layOutMain(out, manifest, names), out),
    dashboard: pack(layOutDashboard(out, manifest), out),
    platforms,
    missing,
  };
}

/** package.json less what is the checkout's; the workflow that publishes knows the repository. */
function publishedManifest() {
  const manifest = readJson(path.join(root, 'package.json'));
  const crate = /^version = "(.+)"$/m.exec(readFileSync(path.join(root, 'Cargo.toml'), 'utf8'))[1];
  mustBeEqual({ 'package.json': manifest.version, 'Cargo.toml': crate });
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  if (GITHUB_REPOSITORY) {
    const url = `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`;
    manifest.repository = { type: 'git', url };
  }
  return manifest;
}

/** One folder per target of package.json, made by napi's own tool. Gives their names. */
function layOutPlatforms(out, manifest) {
  mkdirSync(out, { recursive: true });
  writeJson(path.join(out, 'package.json'), manifest);
  const napi = binPath('@napi-rs/cli', 'napi');
  execFileSync(process.execPath, [napi, 'create-npm-dirs', '--cwd', out], { stdio: 'pipe' });
  const names = readdirSync(path.join(out, 'npm'));
  for (const name of names) {
    const file = path.join(out, 'npm', name, 'package.json');
    const made = readJson(file);
    // As Node reads a package that does not say; then it need not find out.
    writeJson(file, { ...made, type: 'commonjs', files: [...made.files, ...NOTICES] });
  }
  return names;
}

function layOutMain(out, manifest, names) {
  const folder = path.join(out, 'package');
  copyPackedFiles(root, folder);
  const published = lessTheCheckout(manifest);
  published.optionalDependencies = Object.fromEntries(
    names.map((name) => [`${manifest.name}-${name}`, manifest.version]),
  );
  writeJson(path.join(folder, 'package.json'), published);
  return folder;
}

function layOutDashboard(out, { name, version, repository, publishConfig }) {
  const from = path.join(root, 'dashboard');
  const folder = path.join(out, 'dashboard');
  const manifest = readJson(path.join(from, 'package.json'));
  mustBeEqual({ 'package.json': version, 'dashboard/package.json': manifest.version });
  if (!existsSync(path.join(from, 'dist/index.html'))) {
    throw new Error('the dashboard has no front end: build it first (scripts/dashboard.js)');
  }
  copyPackedFiles(from, folder);
  const published = { ...lessTheCheckout(manifest), publishConfig };
  if (repository) published.repository = { ...repository, directory: 'dashboard' };
  // It asks what the package of the same release can answer.
  published.peerDependencies = { [name]: `^${version}` };
  writeJson(path.join(folder, 'package.json'), published);
  return folder;
}

function lessTheCheckout(manifest) {
  const published = { ...manifest };
  for (const field of OF_THE_CHECKOUT) delete published[field];
  return published;
}

/** Copies what npm would pack. */
function copyPackedFiles(from, to) {
  const [{ files }] = JSON.parse(npm(['pack', '--dry-run', '--json'], from));
  for (const file of files) cpSync(path.join(from, file.path), path.join(to, file.path));
}

/** @param {Record<string, string>} versions by file */
function mustBeEqual(versions) {
  if (new Set(Object.values(versions)).size === 1) return;
  const all = Object.entries(versions).map(([file, version]) => `${file} is at ${version}`);
  throw new Error(`${all.join(', ')}: make them equal`);
}

function pack(folder, out) {
  const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', out], folder));
  return path.join(out, filename);
}

function npm(args, cwd) {
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const shell = process.platform === 'win32';
  return execFileSync(command, [...args, '--ignore-scripts'], { cwd, shell, encoding: 'utf8' });
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
