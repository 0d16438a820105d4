// What we depend on: licences, sources and bans (deny.toml), known faults, and whether THIRD-PARTY.md is current. What
// a tool or a database that is not at hand would have told is named, and fails nothing: the gate works offline too.

import { spawnSync } from 'node:child_process';
import { root } from './bootstrap.js';
import { crates, objections } from './crates.js';
import { isCurrent } from './third-party.js';

const UNREACHABLE =
  /failed to fetch advisory database|failed to acquire|audit endpoint returned an error|E(NOTFOUND|CONNREFUSED|TIMEDOUT|AI_AGAIN)/i;

const found = crates();
const hasDeny = spawnSync('cargo', ['deny', '--version'], { stdio: 'ignore' }).status === 0;

if (hasDeny) {
  ask('licences, bans and sources, by cargo deny', 'cargo', [
    'deny',
    'check',
    'licenses',
    'bans',
    'sources',
  ]);
  ask('known faults of crates, by cargo deny', 'cargo', ['deny', 'check', 'advisories']);
} else {
  const told = objections(found);
  say(
    `licences, bans and sources of ${found.length} crates, by cargo metadata`,
    told.length === 0,
    told.join('\n'),
  );
  notChecked('known faults of crates', 'cargo deny is not installed');
}
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
ask('known faults of npm packages, by npm audit', npm, ['audit']);
say('THIRD-PARTY.md is current', isCurrent(found), 'write it anew: node scripts/third-party.js');

/**
 * @param {string} what
 * @param {string} command
 * @param {string[]} args
 */
function ask(what, command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
  });
  const told = `${stdout ?? ''}${stderr ?? ''}${error ?? ''}`;
  if (status !== 0 && UNREACHABLE.test(told)) notChecked(what, 'their database cannot be reached');
  else say(what, status === 0, told);
}

/**
 * @param {string} what
 * @param {string} why
 */
function notChecked(what, why) {
  console.log(`NOT CHECKED  ${what}: ${why}`);
}

/**
 * @param {string} what
 * @param {boolean} ok
 * @param {string} otherwise
 */
function say(what, ok, otherwise) {
  console.log(`${ok ? 'ok' : 'FAILED'}  ${what}`);
  if (ok) return;
  console.log(otherwise);
  process.exitCode = 1;
}
