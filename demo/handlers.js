import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskError } from '../index.js';
import { mergeShard, writeManifest, writeSegment } from './index-store.js';
import { writeShard } from './tasks.js';
import { countWords, shards } from './words.js';

/** What the worker saw of its own limits; the closing table shows it. */
export const seen = { batches: 0, largestBatch: 0, diskNow: 0, diskPeak: 0 };

/** A batch handler: one call, one file written, for up to 32 tasks. Results go back under the tasks' ids. */
export async function indexFiles(contexts) {
  seen.batches += 1;
  seen.largestBatch = Math.max(seen.largestBatch, contexts.length);
  const countsByFile = new Map();
  const results = {};
  for (const { taskId, payload } of contexts) {
    const text = await readFile(path.join(payload.base, payload.file), 'utf8');
    const counts = countWords(text);
    countsByFile.set(payload.file, counts);
    results[taskId] = { lines: text.split('\n').length, distinctWords: counts.size };
  }
  await writeSegment(contexts[0].taskId, countsByFile);
  return results;
}

export function digestFile(_ctx, { base, file }) {
  return onDisk(async () => {
    const bytes = await readFile(path.join(base, file));
    return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
}

export function mergeOneShard(_ctx, { shard }) {
  return onDisk(async () => ({ shard, words: await mergeShard(shard) }));
}

/** A parent: its children carry its id, and it waits for them as any client would. */
export async function buildIndex(ctx, { base, files }) {
  const children = [];
  for (const shard of shards) children.push(await ctx.submit(writeShard, { shard }));
  let words = 0;
  for (const [i, child] of children.entries()) {
    const { result } = await ctx.wait(child.id);
    words += result.words;
    await ctx.progress((i + 1) / children.length, `${i + 1} of ${children.length} shards`);
  }
  await writeManifest({ base, files });
  return { words };
}

/** Fails once in a way worth another try; the queue comes back to it after a backoff. */
export async function refreshFeed(ctx) {
  if (ctx.attempt === 1) throw new Error('the feed did not answer');
  return { refreshedOnAttempt: ctx.attempt };
}

/** Fails for good: a TaskError is final unless it says otherwise. */
export async function importFile(_ctx, { base, file }) {
  try {
    return { bytes: (await readFile(path.join(base, file))).length };
  } catch {
    throw new TaskError(`there is no ${file}`, { code: 'file_missing' });
  }
}

/** Would run for ever; ends because somebody cancels it. */
export async function watchFolder(ctx) {
  await ctx.progress(null, 'watching');
  while (!(await ctx.canceled())) await delay(20);
}

async function onDisk(work) {
  seen.diskNow += 1;
  seen.diskPeak = Math.max(seen.diskPeak, seen.diskNow);
  try {
    return await work();
  } finally {
    seen.diskNow -= 1;
  }
}
