/**
 * What each process saw with its own eyes, kept where a SIGKILL cannot reach it: one line is one write() to a file,
 * and what the kernel has taken stays when the process is gone.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A process's own ledger in `directory`. */
export function openLedger(directory) {
  const file = path.join(directory, `${process.pid}.jsonl`);
  return (event, fields) => {
    appendFileSync(
      file,
      `${JSON.stringify({ event, at: Date.now(), pid: process.pid, ...fields })}\n`,
    );
  };
}

/** The lines of one process, in its own order. */
export function readLedger(directory, pid) {
  return linesOf(path.join(directory, `${pid}.jsonl`));
}

/** Every line of every process, in the order of the clock. */
export function readLedgers(directory) {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => linesOf(path.join(directory, name)))
    .sort((a, b) => a.at - b.at);
}

function linesOf(file) {
  if (!existsSync(file)) return []; // it died before it had anything to tell
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
