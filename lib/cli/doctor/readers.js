/**
 * Which processes are inside a read transaction of a SQLite database in WAL mode. Each holds a shared lock on one of the
 * read marks of the shared index; Linux tells in /proc which locks a file descriptor holds, its own kind and POSIX's.
 */
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The bytes of the five read marks in the shared index. */
const FIRST_MARK = 123;
const LAST_MARK = 127;

const APART_MS = 300;

/**
 * @param {string} index the -shm file
 * @returns {Promise<{ pid: number, command: string }[] | null>} those that read at two looks; null where that cannot
 *   be seen
 */
export async function readersOf(index) {
  if (process.platform !== 'linux') return null;
  const first = await reading(index);
  await sleep(APART_MS);
  const second = await reading(index);
  const still = [...second].filter((pid) => first.has(pid) && pid !== process.pid);
  return await Promise.all(still.map(async (pid) => ({ pid, command: await commandOf(pid) })));
}

/** @param {string} index */
async function reading(index) {
  const name = await realpath(index).catch(() => index);
  const found = new Set();
  for (const entry of await readdir('/proc')) {
    if (/^\d+$/.test(entry) && (await holdsMark(entry, name))) found.add(Number(entry));
  }
  return found;
}

/**
 * @param {string} pid
 * @param {string} name
 */
async function holdsMark(pid, name) {
  // Processes of other users, and those that end meanwhile, cannot be looked into.
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const descriptor of descriptors) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
    if (target !== name) continue;
    const facts = await readFile(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8').catch(() => '');
    if (facts.split('\n').some(isReadMark)) return true;
  }
  return false;
}

/**
 * @param {string} line such as `lock:	1: POSIX  ADVISORY  READ 4711 fe:00:12345 124 124`
 */
export function isReadMark(line) {
  const match = /^lock:\s.*\sREAD\s.*\s(\d+)\s(\d+)$/.exec(line);
  return match !== null && Number(match[1]) >= FIRST_MARK && Number(match[2]) <= LAST_MARK;
}

/**
 * The program and its script. Other arguments may hold secrets.
 *
 * @param {number} pid
 */
async function commandOf(pid) {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [program, ...args] = text.split('\0');
  const scripts = args.filter((arg) => /^[^=]+\.([cm]?[jt]s|py|rb|php|sh)$/.test(arg));
  const names = [program, scripts.at(-1) ?? ''].map((name) => path.basename(name));
  return names.join(' ').trim() || 'unknown';
}
