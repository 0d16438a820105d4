import { writeFileSync } from 'node:fs';

/** How much of an error is repeated at the end of a run, in characters. */
const REPEATED = 400;

/**
 * @typedef {object} Failure
 * @property {string} text the test and what it said
 * @property {string} [file] the module it stands in; without one it happened outside of any
 *
 * @typedef {{ passed: number, skipped: number, failures: Failure[] }} Summary
 */

/**
 * Ends the run with the number of tests per database, and leaves the totals and what failed in the
 * file that CAIRNQ_TEST_SUMMARY names.
 */
export default class BackendCountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = new Map();
    /** @type {Summary} */
    const summary = { passed: 0, skipped: 0, failures: [] };
    const fail = (what, errors, file) => {
      for (const { message } of errors) {
        summary.failures.push({ text: `${what}: ${message}`.slice(0, REPEATED), file });
      }
    };
    fail('outside of any test', unhandledErrors);
    for (const module of modules) {
      fail(module.relativeModuleId, module.errors(), module.relativeModuleId);
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        const key = state === 'pending' ? 'skipped' : state;
        if (key === 'failed') {
          fail(test.fullName, (errors ?? []).slice(0, 1), module.relativeModuleId);
        } else {
          summary[key] += 1;
        }
        const backend = /\[(sqlite|postgres)\]/.exec(test.fullName)?.[1] ?? 'no database';
        const count = counts.get(backend) ?? { passed: 0, failed: 0, skipped: 0 };
        count[key] += 1;
        counts.set(backend, count);
      }
    }
    for (const [backend, { passed, failed, skipped }] of [...counts].sort()) {
      const rest = skipped > 0 ? `, ${skipped} skipped` : '';
      console.log(`tests on ${backend}: ${passed} passed, ${failed} failed${rest}`);
    }
    const file = process.env.CAIRNQ_TEST_SUMMARY;
    if (file) writeFileSync(file, JSON.stringify(summary));
  }
}
