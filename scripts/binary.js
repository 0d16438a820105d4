// What a binary that is shipped must not hold: paths of the machine that built it, and needs of a newer glibc than
// was promised.

import { execFileSync } from 'node:child_process';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './bootstrap.js';

/** Where people's and builders' files are, whoever they are. Texts adjoin in a binary: nothing need come before. */
const PRIVATE_PLACES = [
  String.raw`/(?:home|Users|root|private/var)/[\w.-]`,
  String.raw`[A-Z]:[\\/](?:Users|a|hostedtoolcache)[\\/]`,
  String.raw`[\\/]\.(?:cargo|rustup|napi-rs)[\\/]`,
  String.raw`[\\/]registry[\\/]src[\\/]`,
];

/** As much of what follows as tells which path it is. */
const REST = String.raw`[\x20-\x7e]{0,100}`;

/** The folders of this machine whose names get into what is compiled here. */
export function placesHere() {
  const sysroot = execFileSync('rustc', ['--print', 'sysroot'], { cwd: root, encoding: 'utf8' });
  const cargo = process.env.CARGO_HOME ?? path.join(homedir(), '.cargo');
  const places = [root, sysroot.trim(), cargo, homedir(), tmpdir()];
  return places.map((place) => path.resolve(place)).filter((place) => place !== path.sep);
}

/**
 * Paths of the machine a binary was built on, as far as they are among its strings.
 *
 * @param {Buffer} binary
 * @param {string[]} places folders of that machine
 */
export function machinePaths(binary, places) {
  const names = places.map((place) => literal(place + path.sep));
  const found = new RegExp(`(?:${[...names, ...PRIVATE_PLACES].join('|')})${REST}`, 'g');
  return binary.toString('latin1').match(found) ?? [];
}

function literal(text) {
  return text.replaceAll(/[^\w]/g, (character) => `\\${character}`);
}

/**
 * The newest glibc whose symbols a binary needs, such as 2.17; undefined for none.
 *
 * @param {Buffer} binary
 */
export function neededGlibc(binary) {
  const versions = binary.toString('latin1').matchAll(/GLIBC_(2\.\d+)/g);
  const minors = [...versions].map(([, version]) => Number(version.slice(2)));
  return minors.length > 0 ? `2.${Math.max(...minors)}` : undefined;
}
