/** What is looked for in a binary before it is shipped. .ci/run looks at the release build itself. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { machinePaths, neededGlibc, placesHere } from '../../scripts/binary.js';
import { root } from '../../scripts/bootstrap.js';

const addon = path.join(
  root,
  readdirSync(root).find((name) => name.endsWith('.node')),
);

/** Bytes as a linker leaves them: texts between what is none. */
const binaryOf = (...texts) =>
  Buffer.from(texts.map((text) => `\0\x01${text}\0\xff`).join(''), 'latin1');

it.each([
  '/srv/builds/cairnq/src/lib.rs',
  '/home/somebody/project/src/lib.rs',
  '/Users/runner/work/native/src/lib.rs',
  '/root/sources/sqlite3.c',
  'D:\\a\\native\\native\\src\\lib.rs',
  'C:\\Users\\runneradmin\\.cargo\\registry\\src\\tokio\\lib.rs',
  '/opt/.cargo/git/checkouts/tokio/lib.rs',
  '/cache/registry/src/mirror-1234/tokio-1.0.0/src/lib.rs',
])('%s is the path of a machine', (text) => {
  const found = machinePaths(binaryOf('ok', text, 'fine'), ['/srv/builds']);
  expect(found).toHaveLength(1);
  expect(text).toContain(found[0]);
});

it.each([
  '/crates/tokio-1.54.0/src/runtime/mod.rs',
  '/cairnq-native/src/lib.rs',
  '/rustc/0123456789abcdef/library/core/src/panicking.rs',
  '/etc/ssl/certs/ca-certificates.crt',
  'src/worker/rounds.rs',
])('%s is not', (text) => {
  expect(machinePaths(binaryOf(text), ['/srv/builds'])).toEqual([]);
});

it('a debug build, which keeps its paths, is caught', () => {
  const found = machinePaths(readFileSync(addon), placesHere());
  expect(found.length).toBeGreaterThan(0);
});

it('the newest glibc asked for counts', () => {
  expect(neededGlibc(binaryOf('GLIBC_2.2.5', 'GLIBC_2.17', 'GLIBC_2.4'))).toBe('2.17');
  expect(neededGlibc(binaryOf('libSystem.B.dylib'))).toBe(undefined);
});

it('the script fails for a path and for a glibc too new', () => {
  const check = (...args) => {
    try {
      const script = path.join(root, 'scripts/check-binary.js');
      return execFileSync(process.execPath, [script, addon, ...args], { encoding: 'utf8' });
    } catch ({ status, stdout }) {
      return { status, stdout };
    }
  };
  const { status, stdout } = check('--glibc', '2.0');
  expect(status).toBe(1);
  expect(stdout).toContain('names a path of this machine: ');
  if (process.platform === 'linux' && !addon.includes('musl')) {
    expect(stdout).toMatch(/needs glibc 2\.\d+, newer than 2\.0/);
  }
});
