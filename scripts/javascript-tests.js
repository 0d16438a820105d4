import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runBin } from './bootstrap.js';

/** @typedef {import('../__test__/support/backend-count-reporter.js').Failure} Failure */
/** @typedef {{ passed: number, failures: Failure[] }} Run */

/** More files than this at once are no accident of a busy machine. */
const MOST_TRIED_AGAIN = 3;

/** What these find is found by chance: another run takes another path and proves nothing. */
const SEARCHES = /^__test__\/(model|crash|security)\/|: Property failed after /m;

/**
 * The tests of the package. Hundreds of them start processes, servers and browsers and wait for them beside each other,
 * so a busy machine can outlast one of their waits. What failed is therefore tried once more with the machine to itself:
 * what fails again is a failure, what passes is named as unstable, for somebody to mend. What a search found, and what
 * failed outside of any test, is a failure at once.
 *
 * @param {string[]} filters
 * @param {(args: string[]) => Run} [run]
 * @returns {{ passed: number, failures: string[], unstable: string[] }}
 */
export function javascriptTests(filters, run = vitest) {
  const first = run(filters);
  const files = [...new Set(first.failures.map(({ file }) => file ?? ''))];
  const certain = first.failures.filter(({ file, text }) => !file || SEARCHES.test(file + text));
  if (files.length === 0 || files.length > MOST_TRIED_AGAIN || certain.length > 0) {
    return { passed: first.passed, failures: first.failures.map(({ text }) => text), unstable: [] };
  }
  console.log(`\ntried once more, alone: ${files.join(', ')}\n`);
  const second = run([...files, '--maxWorkers=1']);
  const failures = second.failures.map(({ text }) => text);
  return {
    passed: first.passed + Math.max(first.failures.length - failures.length, 0),
    failures,
    unstable: failures.length > 0 ? [] : first.failures.map(({ text }) => text),
  };
}

/**
 * @param {string[]} args
 * @returns {Run}
 */
function vitest(args) {
  const directory = mkdtempSync(path.join(tmpdir(), 'cairnq-summary-'));
  const file = path.join(directory, 'summary.json');
  try {
    const code = runBin('vitest', 'vitest', ['run', ...args], {
      env: { CAIRNQ_TEST_SUMMARY: file },
    });
    const { passed, failures } = JSON.parse(readFileSync(file, 'utf8'));
    // A failure that nothing counted is one all the same.
    if (code !== 0 && failures.length === 0) failures.push({ text: `vitest ended with ${code}` });
    return { passed, failures };
  } catch (error) {
    const text = `the JavaScript tests did not run to their end: ${error.message}`;
    return { passed: 0, failures: [{ text }] };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
