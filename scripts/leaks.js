// Opens and closes stores, starts and stops workers, and ends worker_threads in the middle of handlers, all under
// valgrind, and reports what the addon lost or touched that was not its own:
//   npm run leaks -- --cycles 1000 --threads 100 --backend postgres
// It runs whatever addon is built; a debug build names the lines.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { backendNamed } from './backend.js';
import { root } from './bootstrap.js';

/** What napi-rs keeps of each class once per loading, and does not take back of a wake on its way when a thread ends. */
const OF_NAPI = ['napi_register_module_v1', 'call_threadsafe_function_with_data'];

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '100' },
    threads: { type: 'string', default: '10' },
    backend: { type: 'string', default: 'sqlite' },
  },
});
const cycles = wholeNumber('cycles');
const threads = wholeNumber('threads');
const backend = await backendNamed(values.backend);
const world = await backend.database();
const directory = mkdtempSync(path.join(tmpdir(), 'cairnq-leaks-'));
try {
  const { target } = world;
  report('cycles', cycles, underValgrind('lives.js', { target, cycles }));
  const held = { name: 'held', maxAttempts: threads + 1 };
  await world.client().submitMany(Array.from({ length: 2 * threads }, () => held));
  const options = { leaseMs: 2000, concurrency: 2 };
  report(
    'threads',
    threads,
    underValgrind('terminations.js', { target, rounds: threads, options }),
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
  await world.close();
  await backend.end();
}

/** @param {'cycles' | 'threads'} option */
function wholeNumber(option) {
  const number = Number(values[option]);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new Error(`--${option} must be a whole number above 0, got ${values[option]}`);
}

/**
 * @param {string} what
 * @param {number} count
 * @param {ReturnType<typeof errors>} found
 */
function report(what, count, found) {
  for (const { kind, what: text, frames } of found) {
    console.log(`${kind}: ${text}`);
    for (const frame of frames) console.log(`    ${frame}`);
  }
  console.log(`${count} ${what} on ${values.backend}: ${found.length} leaks and bad accesses`);
  if (found.length > 0) process.exitCode = 1;
}

/**
 * @param {string} program of __test__/process
 * @param {object} config
 */
function underValgrind(program, config) {
  const found = path.join(directory, `${program}.xml`);
  const { status, error, stderr } = spawnSync(
    'valgrind',
    [
      '--leak-check=full',
      '--show-leak-kinds=definite,indirect',
      // The engine scans stacks for what may be pointers.
      '--undef-value-errors=no',
      '--num-callers=40',
      // Or threads that are always busy keep the one that runs JavaScript waiting.
      '--fair-sched=try',
      '--xml=yes',
      `--xml-file=${found}`,
      process.execPath,
      path.join(root, '__test__/process', program),
      JSON.stringify(config),
    ],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, UV_USE_IO_URING: '0' },
    },
  );
  if (error) throw new Error(`cannot run valgrind: ${error.message}`);
  if (status !== 0) throw new Error(`the program ended with ${status}: ${stderr}`);
  return errors(readFileSync(found, 'utf8')).filter(isOurs);
}

/** @param {string} xml */
function errors(xml) {
  return [...xml.matchAll(/<error>(.*?)<\/error>/gs)].map(([, error]) => {
    const one = (tag, text = error) =>
      new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(text)?.[1] ?? '';
    const frames = [...error.matchAll(/<frame>(.*?)<\/frame>/gs)].map(([, frame]) => {
      const place = one('file', frame)
        ? `${one('file', frame)}:${one('line', frame)}`
        : one('obj', frame);
      return `${one('fn', frame) || '?'} (${place})`;
    });
    return {
      kind: one('kind'),
      what: one('text') || one('what'),
      frames,
      inAddon: /<obj>[^<]*cairnq-native/.test(error),
    };
  });
}

/** Node's own leaks are its own; a bad access is anybody's. */
function isOurs({ kind, frames, inAddon }) {
  if (!kind.startsWith('Leak_')) return true;
  return inAddon && !frames.some((frame) => OF_NAPI.some((name) => frame.startsWith(name)));
}
