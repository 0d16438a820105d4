import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { repository } from './places.js';

const ourKinds = new Set(['.md', '.rs', '.js']);
const ignoredFolders = new Set(['node_modules', 'target']);
const sniffedBytes = 8192;
const largestBytes = 4 * 1024 * 1024;

/**
 * The files to index: this repository's Markdown, Rust and JavaScript, or every text file of another folder.
 * @param {string | undefined} folder
 * @returns {Promise<{ base: string, files: string[] }>} `files` are relative to `base`, sorted
 */
export async function findFiles(folder) {
  const base = folder ?? repository;
  const wanted = folder === undefined ? hasOurKind : isText;
  if ((await stat(base)).isFile())
    return { base: path.dirname(base), files: [path.basename(base)] };
  const files = [];
  for await (const file of walk(base)) {
    if (await wanted(file)) files.push(path.relative(base, file));
  }
  return { base, files: files.sort() };
}

async function* walk(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const here = path.join(folder, entry.name);
    if (entry.isFile()) yield here;
    else if (entry.isDirectory() && !ignoredFolders.has(entry.name)) yield* walk(here);
  }
}

const hasOurKind = async (file) => ourKinds.has(path.extname(file));

/** Text is what holds no NUL byte at its beginning; what cannot be read is left out. */
async function isText(file) {
  try {
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      if (size > largestBytes) return false;
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes);
      return !buffer.subarray(0, bytesRead).includes(0);
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}
