import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CairnQ } from '../index.js';
import { findFiles } from './files.js';
import { judge } from './outcome.js';
import { places } from './places.js';
import { Progress } from './progress.js';
import { printHits, sampleWord } from './query.js';
import { printTable } from './table.js';

const lookEveryMs = 100;

/**
 * Starts a producer and a worker, shows what the database says while they work, and what it says afterwards.
 * @param {string | undefined} folder
 * @returns {Promise<boolean>} whether everything ended as it should
 */
export async function runDemo(folder) {
  const { base, files } = await findFiles(folder);
  if (files.length === 0) throw new Error(`no text files under ${base}`);
  await rm(places.home, { recursive: true, force: true });
  console.log(`${files.length} files under ${base}`);
  console.log('a producer process submits them, a worker process indexes them\n');

  const client = CairnQ.sqlite(places.database);
  try {
    await client.connect();
    const { producerCode, worker } = await work(folder, client);
    const tasks = await everyTask(client);
    printTable(tasks, worker.seen);
    const complaints = judge(tasks, { files: files.length, producerCode, worker });
    for (const complaint of complaints) console.log(`not as it should be: ${complaint}`);
    if (complaints.length > 0) return false;
    console.log('\nevery task ended as it should\n');
    await printHits(await sampleWord());
    console.log('\nask for another word: npm run demo -- --query WORD');
    return true;
  } finally {
    await client.close();
  }
}

async function work(folder, client) {
  const worker = start('worker.js');
  const producer = start('producer.js', folder === undefined ? [] : [folder]);
  // A worker that dies leaves its producer waiting for results that nobody works on.
  worker.process.once('exit', () => producer.process.kill());
  const progress = new Progress();
  let producing = true;
  producer.ended.then(() => {
    producing = false;
  });
  while (producing) {
    progress.show(await client.stats());
    await Promise.race([producer.ended, new Promise((next) => setTimeout(next, lookEveryMs))]);
  }
  progress.finish(await client.stats());
  if (worker.process.connected) worker.process.send('stop');
  return {
    producerCode: await producer.ended,
    worker: { code: await worker.ended, seen: worker.lastMessage() },
  };
}

function start(file, args = []) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args);
  let message;
  child.on('message', (received) => {
    message = received;
  });
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code);
  return { process: child, ended, lastMessage: () => message };
}

async function everyTask(client) {
  const pageSize = 1000;
  const tasks = [];
  for (;;) {
    const page = await client.list({ limit: pageSize, offset: tasks.length });
    tasks.push(...page);
    if (page.length < pageSize) return tasks;
  }
}
