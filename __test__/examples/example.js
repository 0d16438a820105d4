import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { CairnQ } from '../../index.js';
import { installExamples } from '../../scripts/examples.js';
import { Peer } from '../process/peer.js';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));

/** A new place for a database file, gone when the test is over. */
export function databaseFile() {
  const directory = mkdtempSync(path.join(tmpdir(), 'cairnq-example-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return path.join(directory, 'tasks.db');
}

/** A client on that file, closed when the test is over. */
export function clientOn(database) {
  const client = CairnQ.sqlite(database);
  onTestFinished(() => client.close());
  return client;
}

/** Starts an example; it is ended with the test. */
export function startExample(program, { args = [], env = {} } = {}) {
  installExamples();
  const peer = new Peer(process.execPath, [path.join(folder, program), ...args.map(String)], {
    env,
  });
  onTestFinished(() => peer.end());
  return peer;
}

/** Runs an example to its end and gives the lines it printed. */
export async function runExample(program, options) {
  const peer = startExample(program, options);
  const exit = await peer.exitWithin(25_000);
  if (exit.code !== 0) throw new Error(peer.report());
  return peer.lines.map((line) => line.text ?? line);
}
