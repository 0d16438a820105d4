// The process that has work to be done. It knows the database and the tasks' names, not the worker.

import { CairnQ } from '../index.js';
import { findFiles } from './files.js';
import { places } from './places.js';
import {
  buildIndex,
  digestFile,
  importFile,
  indexFile,
  refreshFeed,
  watchFolder,
} from './tasks.js';

const timeoutMs = 10 * 60_000;
const submittedAtOnce = 1000;

const { base, files } = await findFiles(process.argv[2]);
if (files.length === 0) throw new Error(`no text files under ${base}`);

const client = CairnQ.sqlite(places.database);
try {
  const flaky = await client.submit(refreshFeed, {});
  const hopeless = await client.submit(importFile, { base, file: 'no/such/file.md' });
  const endless = await client.submit(watchFolder, { base });

  const tasks = await submitFiles();
  await cancelOnceRunning(endless.id);
  for (const { id } of tasks) await succeeded(id);
  await client.call(buildIndex, { base, files: files.length }, { waitTimeoutMs: timeoutMs });

  for (const { id } of [flaky, hopeless, endless]) await client.wait(id, { timeoutMs });
} finally {
  await client.close();
}

/** Two tasks a file; the digests are wanted first should slots be scarce. */
async function submitFiles() {
  const wanted = files.flatMap((file) => [
    { name: digestFile.name, payload: { base, file }, priority: 1 },
    { name: indexFile.name, payload: { base, file } },
  ]);
  const submitted = [];
  for (let from = 0; from < wanted.length; from += submittedAtOnce) {
    submitted.push(...(await client.submitMany(wanted.slice(from, from + submittedAtOnce))));
  }
  return submitted;
}

async function succeeded(id) {
  const task = await client.wait(id, { timeoutMs });
  if (task.status !== 'succeeded') {
    throw new Error(`${task.name} ${task.status}: ${task.error?.message ?? task.id}`);
  }
}

/** A running task is only asked to stop: its handler sees the request and ends by itself. */
async function cancelOnceRunning(id) {
  const deadline = Date.now() + timeoutMs;
  while ((await client.get(id))?.message !== 'watching') {
    if (Date.now() > deadline) throw new Error('the watcher never started');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await client.cancel(id);
}
