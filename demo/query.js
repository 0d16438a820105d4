import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readManifest, readShard } from './index-store.js';
import { shardOf, shards } from './words.js';

const hitsShown = 5;

/**
 * Prints the files a word stands in, most often first, each with its first line that has it.
 * @param {string} word
 * @returns {Promise<boolean>} whether there were any
 */
export async function printHits(word) {
  const manifest = await readManifest();
  if (!manifest) throw new Error('there is no index yet; npm run demo builds it');
  const key = word.toLowerCase();
  const postings = await readShard(shardOf(key));
  const files = postings.find(([indexed]) => indexed === key)?.[1] ?? [];
  const total = files.reduce((sum, [, count]) => sum + count, 0);
  console.log(`"${key}": ${total} times in ${files.length} of ${manifest.files} files`);
  for (const [file, count] of files.slice(0, hitsShown)) {
    console.log(
      `${String(count).padStart(6)}  ${file}${await firstLine(manifest.base, file, key)}`,
    );
  }
  return files.length > 0;
}

/** A word worth showing: the one of eight letters or more that stands in the most files. */
export async function sampleWord() {
  let best = ['', 0];
  for (const shard of shards) {
    for (const [word, files] of await readShard(shard)) {
      if (word.length >= 8 && files.length > best[1]) best = [word, files.length];
    }
  }
  return best[0];
}

async function firstLine(base, file, key) {
  const lines = (await readFile(path.join(base, file), 'utf8')).split('\n');
  const at = lines.findIndex((line) => line.toLowerCase().includes(key));
  return at < 0 ? '' : `:${at + 1}  ${lines[at].trim().slice(0, 70)}`;
}
