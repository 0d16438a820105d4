// Everything a fresh clone needs to test itself: dependencies, the addon, the Rust tests, the JavaScript
// tests. With arguments it runs only the JavaScript tests they name.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildAddon, hostTarget } from './addon.js';
import { installDependencies, root, runBin } from './bootstrap.js';
import { installExamples } from './examples.js';

const only = process.argv.slice(2);

installDependencies();
installExamples();
if (buildAddon({ release: false }) !== 0) {
  console.error('the addon does not build');
  report({ passed: 0, failed: 1, failures: ['the addon does not build'] });
} else {
  const rust = only.length > 0 ? { passed: 0, failed: 0, failures: [] } : await rustTests();
  const javascript = javascriptTests(only);
  report({
    passed: rust.passed + javascript.passed,
    failed: rust.failed + javascript.failed,
    failures: [...rust.failures, ...javascript.failures],
  });
}

/** The Rust tests of the Postgres store need a server too; without one they would only say so. */
async function rustTests() {
  if (process.env.CAIRNQ_TEST_PG_DSN) return await cargoTest(process.env.CAIRNQ_TEST_PG_DSN);
  // Only now, because the server comes with the dependencies that were installed above.
  const { PostgresServer } = await import('../__test__/support/postgres-server.js');
  const server = await PostgresServer.create();
  try {
    return await cargoTest(server.dsn);
  } finally {
    await server.destroy();
  }
}

/** @param {string} dsn */
async function cargoTest(dsn) {
  const args = ['test', '--locked', '--no-fail-fast', '--target', hostTarget()];
  const cargo = spawn('cargo', args, {
    cwd: root,
    env: { ...process.env, CAIRNQ_TEST_PG_DSN: dsn },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  cargo.stdout.on('data', (chunk) => {
    output += chunk;
    process.stdout.write(chunk);
  });
  const [code] = await once(cargo, 'close');
  const failures = [...output.matchAll(/^test (\S+) \.\.\. FAILED$/gm)].map(([, name]) => name);
  const totals = { passed: 0, failed: 0, failures };
  for (const [, passed, failed] of output.matchAll(
    /^test result: .*? (\d+) passed; (\d+) failed/gm,
  )) {
    totals.passed += Number(passed);
    totals.failed += Number(failed);
  }
  // A crash or a compile error ends cargo without a count; it must not look like success.
  return atLeastOne(totals, code, 'cargo test');
}

function javascriptTests(filters) {
  const directory = mkdtempSync(path.join(tmpdir(), 'cairnq-summary-'));
  const file = path.join(directory, 'summary.json');
  try {
    const code = runBin('vitest', 'vitest', ['run', ...filters], {
      env: { CAIRNQ_TEST_SUMMARY: file },
    });
    return atLeastOne(JSON.parse(readFileSync(file, 'utf8')), code, 'vitest');
  } catch (error) {
    const failure = `the JavaScript tests did not run to their end: ${error.message}`;
    return { passed: 0, failed: 1, failures: [failure] };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What failed without a count is a failure all the same. */
function atLeastOne(totals, code, what) {
  if (code === 0 || totals.failed > 0) return totals;
  return { ...totals, failed: 1, failures: [...totals.failures, `${what} ended with ${code}`] };
}

/** Failures are repeated where they are found: at the end. */
function report({ passed, failed, failures }) {
  for (const failure of failures) console.log(`FAILED: ${failure.replaceAll('\n', '\n  ')}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
