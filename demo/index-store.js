import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { places } from './places.js';
import { shardOf, shards } from './words.js';

/** @typedef {[word: string, files: [file: string, count: number][]][]} Postings */

/**
 * Writes what one batch found: a file per shard, so that each shard is later merged from its own folder.
 * @param {string} name unlike that of any other batch
 * @param {Map<string, Map<string, number>>} countsByFile
 */
export async function writeSegment(name, countsByFile) {
  /** @type {Map<string, [string, string, number][]>} */
  const rows = new Map(shards.map((shard) => [shard, []]));
  for (const [file, counts] of countsByFile) {
    for (const [word, count] of counts) rows.get(shardOf(word))?.push([word, file, count]);
  }
  for (const [shard, found] of rows) {
    await writeWhole(path.join(places.segments, shard, `${name}.json`), found);
  }
}

/**
 * Merges every segment of a shard into its part of the index. A batch that ran twice left its files in two
 * segments; counting per file makes that harmless.
 * @param {string} shard
 */
export async function mergeShard(shard) {
  /** @type {Map<string, Map<string, number>>} */
  const merged = new Map();
  const folder = path.join(places.segments, shard);
  for (const segment of await readdir(folder)) {
    if (!segment.endsWith('.json')) continue;
    for (const [word, file, count] of await readJson(path.join(folder, segment))) {
      const files = merged.get(word) ?? new Map();
      merged.set(word, files.set(file, count));
    }
  }
  const postings = [...merged].map(([word, files]) => [word, mostFirst(files)]);
  await writeWhole(path.join(places.index, `${shard}.json`), postings);
  return postings.length;
}

/**
 * @param {string} shard
 * @returns {Promise<Postings>}
 */
export function readShard(shard) {
  return readJson(path.join(places.index, `${shard}.json`));
}

/** @param {{ base: string, files: number }} about */
export function writeManifest(about) {
  return writeWhole(path.join(places.index, 'manifest.json'), about);
}

/** What the index covers, or undefined when none was built yet. */
export async function readManifest() {
  try {
    return await readJson(path.join(places.index, 'manifest.json'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function mostFirst(files) {
  return [...files].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

async function readJson(file) {
  return JSON.parse(await readFile(file, 'utf8'));
}

/** A reader sees the old file or the new one, never half of it. */
async function writeWhole(file, value) {
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, JSON.stringify(value));
  await rename(draft, file);
}
