import { readFile } from 'node:fs/promises';

const FILE_HEADER = 32;
const FRAME_HEADER = 24;

/**
 * How many transactions lie in a database's write-ahead log: the frames that end one carry the database's size, the
 * others zero. Exact while a reader keeps the log from starting over.
 * @param {string} databasePath
 */
export async function walCommits(databasePath) {
  const log = await readFile(`${databasePath}-wal`);
  const pageSize = log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let commits = 0;
  for (let at = FILE_HEADER; at + FRAME_HEADER <= log.length; at += FRAME_HEADER + pageSize) {
    // What an earlier round of the log left behind it has other salts.
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    if (log.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}
