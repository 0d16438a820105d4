/**
 * Our client, and when `config.both` another SQLite library on the same file in the same process, opened
 * and closed in a loop, with copies of the files made in between. Tells every id that was acknowledged.
 */
import { copyFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import Database from 'libsql';
import { config, listen, tell } from './lines.js';
import { openClient, openStore, openWorker } from './opened.js';

const { path } = config.target;
let stopped = false;
listen(() => {
  stopped = true;
});

const store = openStore();
const client = openClient({}, store);
await client.connect();
const acknowledged = [];
const errors = [];

async function submits() {
  while (!stopped) {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => client.submit('shared')),
    );
    for (const { value, reason } of outcomes) {
      if (reason) errors.push(String(reason));
      else acknowledged.push(value.id);
    }
  }
}

function write(db, id) {
  const now = Date.now();
  db.prepare(
    `insert into cairnq_tasks (id, name, status, payload, run_at_ms, created_at_ms, updated_at_ms)
     values (?, 'shared', 'queued', '{}', ?, ?, ?)`,
  ).run([id, now, now, now]);
  acknowledged.push(id);
}

async function otherLibrary() {
  for (let turn = 0; !stopped; turn++) {
    try {
      const db = new Database(path);
      db.exec('pragma busy_timeout = 10000');
      write(db, `foreign_${turn}_a`);
      copyFileSync(path, `${path}.copy`);
      write(db, `foreign_${turn}_b`);
      db.close();
      for (const suffix of ['', '-shm']) await copyFile(path + suffix, `${path}.copy`);
    } catch (error) {
      errors.push(String(error));
    }
    await setImmediate();
  }
}

const worker = openWorker(
  { concurrency: 4, onError: (error) => errors.push(String(error)) },
  store,
);
const settled = [];
worker.task('shared', (ctx) => {
  settled.push(ctx.taskId);
});
const running = worker.run();
tell('running');
await Promise.all([submits(), ...(config.both ? [otherLibrary()] : [])]);
worker.stop();
await running;
await store.close();
tell('counts', { acknowledged, settled, errors });
process.exit(0);
