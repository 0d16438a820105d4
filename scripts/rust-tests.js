import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostTarget } from './addon.js';
import { root } from './bootstrap.js';

/**
 * The tests of the crate. Those of the Postgres store need a server; without one they would only say so.
 * @returns {Promise<{ passed: number, failures: string[] }>}
 */
export async function rustTests() {
  if (process.env.CAIRNQ_TEST_PG_DSN) return await cargoTest(process.env.CAIRNQ_TEST_PG_DSN);
  // Only now, because the server comes with the dependencies that had to be installed first.
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
  // A crash or a compile error ends cargo without a count; it must not look like success.
  if (code !== 0 && failures.length === 0) failures.push(`cargo test ended with ${code}`);
  let passed = 0;
  for (const [, count] of output.matchAll(/^test result: .*? (\d+) passed;/gm)) {
    passed += Number(count);
  }
  return { passed, failures };
}
