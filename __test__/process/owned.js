/** A worker on a file it opened itself, or on a store it was given; tells which files stay open. */
import { readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { SQLiteStore, Worker } from '@cairnq/native';
import { config, tell } from './lines.js';

const { path } = config.target;

/** The database files this process holds open. */
function openFiles() {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return [...new Set(links.filter((link) => link === path).map((link) => basename(link)))];
}

const worker = config.owned
  ? Worker.sqlite(path, { pollIntervalMs: 20 })
  : new Worker(new SQLiteStore(path), ['default'], { pollIntervalMs: 20 });
worker.task('never', () => {});
if (config.act === 'serve') {
  const serving = worker.serve();
  setTimeout(() => tell('running'), 200);
  await serving;
} else {
  await worker.background(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    tell('running');
  });
}
tell('over', { open: openFiles() });
