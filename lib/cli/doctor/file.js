/**
 * The files of a SQLite database: who may use them, where they lie, and how large the log has become.
 *
 * @typedef {import('./finding.js').Finding} Finding
 */
import { access, constants, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { clean, size } from '../format.js';
import { note, problem, warning } from './finding.js';
import { readersOf } from './readers.js';

/** A store of ours cuts the log at this size at the latest, when no reader keeps it. */
const LARGE_LOG = 32 * 2 ** 20;

/** Free pages that are worth a word: a quarter of a file of some size. */
const LARGE_FILE_PAGES = 25_000;

/**
 * @param {string} file
 * @param {any} facts
 * @param {{ name: string, message: string }[]} warnings what opening the database warned of
 * @returns {Promise<Finding[]>}
 */
export async function fileFindings(file, facts, warnings) {
  const real = await realpath(file);
  return [
    ...networkFindings(warnings),
    ...(await permissionFindings(real)),
    ...(await logFindings(real)),
    ...storageFindings(facts.storage.rows[0]),
  ];
}

/** @param {{ name: string, message: string }[]} warnings */
function networkFindings(warnings) {
  return warnings
    .filter(({ name }) => name === 'NetworkFileSystemWarning')
    .map(({ message }) =>
      problem({
        id: 'network-file-system',
        title: 'the database lies on a network file system',
        explanation: message,
        remedy:
          'Move it to a local disk of the one host that uses it, or use Postgres for several hosts.',
      }),
    );
}

/** @param {string} file */
async function permissionFindings(file) {
  const found = [];
  const names = { database: file, log: `${file}-wal`, 'shared index': `${file}-shm` };
  const owners = new Set();
  for (const [what, name] of Object.entries(names)) {
    const facts = await stat(name).catch(() => null);
    if (facts === null) continue;
    owners.add(facts.uid);
    if (!(await may(name, constants.R_OK | constants.W_OK))) {
      found.push(
        problem({
          id: 'permissions',
          title: `the ${what} may not be written by this user`,
          explanation: `${clean(name)} has mode ${mode(facts.mode)} and owner ${facts.uid}. A worker under this user cannot claim anything.`,
          remedy:
            'Run workers under the user that owns the files, or give the group write access to all three.',
        }),
      );
    }
    if ((facts.mode & 0o002) !== 0 && process.platform !== 'win32') {
      found.push(
        warning({
          id: 'permissions',
          title: `everybody on this host may write the ${what}`,
          explanation: `${clean(name)} has mode ${mode(facts.mode)}: any user can add, change and read tasks.`,
          remedy: `chmod o-rw ${clean(name)}`,
        }),
      );
    }
  }
  const folder = path.dirname(file);
  if (!(await may(folder, constants.W_OK))) {
    found.push(
      problem({
        id: 'permissions',
        title: 'no files may be made beside the database by this user',
        explanation: `SQLite makes a log and a shared index beside the file, and ${clean(folder)} is not writable.`,
        remedy: 'Make the folder writable for the user that workers run under.',
      }),
    );
  }
  if (owners.size > 1) {
    found.push(
      warning({
        id: 'permissions',
        title: 'the files of the database have different owners',
        explanation: `Users ${[...owners].join(' and ')}. Whoever opened it last as another user made files that the other may not be able to write.`,
        remedy: 'Run everything that opens the database under one user.',
      }),
    );
  }
  return found;
}

/**
 * @param {string} name
 * @param {number} how
 */
async function may(name, how) {
  return await access(name, how).then(
    () => true,
    () => false,
  );
}

/** @param {number} mode */
function mode(mode) {
  return (mode & 0o777).toString(8).padStart(3, '0');
}

/** @param {string} file */
async function logFindings(file) {
  const log = await stat(`${file}-wal`).catch(() => null);
  if (log === null || log.size < LARGE_LOG) return [];
  const readers = await readersOf(`${file}-shm`);
  const who =
    readers === null
      ? 'Which process keeps it can be seen on Linux only.'
      : readers.length === 0
        ? 'No process of which this user may know reads it now: it was left by a reader that has gone, and the next writer can cut it.'
        : `It is kept by ${readers.map(({ pid, command }) => `process ${pid} (${clean(command)})`).join(', ')}, which was inside a read transaction at both of two looks.`;
  return [
    warning({
      id: 'log-size',
      title: `the write-ahead log has grown to ${size(log.size)}`,
      explanation: `It can start over only when no reader needs an old state of the database; until then every commit makes it longer and every read slower. ${who}`,
      remedy:
        'End the long read (a backup, a shell with an open transaction, a cursor that is not closed). A worker of @cairnq/native then cuts the log within a second.',
      facts: { bytes: log.size, readers },
    }),
  ];
}

/** @param {any} storage */
function storageFindings(storage) {
  /** @type {Finding[]} */
  const found = [];
  if (storage === undefined) return found;
  if (storage.journal_mode !== 'wal') {
    found.push(
      warning({
        id: 'journal-mode',
        title: `the journal mode is ${storage.journal_mode}, not wal`,
        explanation: 'Readers then wait for writers and writers for readers.',
        remedy:
          'The next store that opens the database switches it; something else must not switch it back.',
      }),
    );
  }
  if (storage.free_pages > LARGE_FILE_PAGES && storage.free_pages * 4 > storage.pages) {
    found.push(
      note({
        id: 'free-space',
        title: `${size(storage.free_pages * storage.page_bytes)} of the file's ${size(storage.pages * storage.page_bytes)} are free`,
        explanation:
          'Deleted tasks left it; new ones will use it. The file does not shrink by itself.',
        remedy: 'Nothing, or "vacuum;" with no worker running, if the disk is needed.',
      }),
    );
  }
  return found;
}
