// The crates that the addon is built from, on every platform it is built for, and what deny.toml says of them.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './bootstrap.js';
import { isAllowed } from './licences.js';

const REGISTRY = 'registry+https://github.com/rust-lang/crates.io-index';

const read = (file) => readFileSync(path.join(root, file), 'utf8');

/**
 * @typedef {{ id: string, name: string, version: string, license: string | null, source: string | null, repository: string | null }} Crate
 * @returns {Crate[]} by name, without those that only the tests need
 */
export function crates() {
  const { targets } = JSON.parse(read('package.json')).napi;
  // One platform at a time: asked for several, cargo fails on features that not all of them have.
  const found = new Map(targets.flatMap(cratesFor).map((crate) => [crate.id, crate]));
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** @param {string} target */
function cratesFor(target) {
  const { packages, resolve } = metadata(target);
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const reached = new Set([resolve.root]);
  // A Set visits what is added on the way.
  for (const id of reached) {
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      if (dep_kinds.some(({ kind }) => kind !== 'dev')) reached.add(pkg);
    }
  }
  reached.delete(resolve.root);
  return packages.filter(({ id }) => reached.has(id));
}

/** @param {string} target */
function metadata(target) {
  const args = ['metadata', '--locked', '--format-version', '1', '--filter-platform', target];
  const { status, stdout, error } = spawnSync('cargo', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) throw error;
  if (status !== 0) throw new Error('cargo metadata failed');
  return JSON.parse(stdout);
}

/**
 * What deny.toml does not let in: the part of `cargo deny check` that needs neither the tool nor the network.
 *
 * @param {Crate[]} found
 * @returns {string[]} one sentence each
 */
export function objections(found) {
  const rules = read('deny.toml');
  const [, list] = /^allow = \[([^\]]*)\]/m.exec(rules) ?? [];
  const allowed = new Set([...(list ?? '').matchAll(/"([^"]+)"/g)].map(([, name]) => name));
  const banned = new Set([...rules.matchAll(/^crate = "([^"]+)"/gm)].map(([, name]) => name));
  return found.flatMap(({ name, version, license, source }) => [
    ...(isAllowed(license, allowed)
      ? []
      : [`${name} ${version}: ${license} is no allowed licence`]),
    ...(banned.has(name) ? [`${name} ${version} is banned`] : []),
    ...(source === REGISTRY ? [] : [`${name} ${version} comes from ${source ?? 'a path'}`]),
  ]);
}
