/** The dashboard, started as its documentation says, asked, and ended. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { CairnQ } from '@cairnq/native';

const token = 'a token that nobody guesses';
const env = {
  ...process.env,
  CAIRNQ_DASHBOARD_TOKEN: token,
  npm_config_cache: path.resolve('.npm-cache'),
};
const bin = (name) => path.join('node_modules', '.bin', name);
const target = ['dashboard.db', '--port', '0'];

const client = CairnQ.sqlite('dashboard.db');
await client.submit('mail.send', { to: 'ada@example.org' });
await client.close();

if (process.platform === 'win32') {
  // A signal ends one process at once there, whatever it has started and whatever it would do at its end.
  const program = path.join('node_modules', '@cairnq', 'dashboard', 'bin.js');
  const { child } = await served(process.execPath, [program, ...target]);
  child.kill();
} else {
  // npx hands no SIGTERM on, so that it goes to all of them, as from a service manager.
  const npx = await served('npx', ['--offline', '@cairnq/native', 'dashboard', ...target]);
  process.kill(-npx.child.pid, 'SIGTERM');
  await npx.ended;
  await assert.rejects(fetch(npx.url), 'nothing serves any more');

  for (const [program, ...args] of [[bin('cairnq'), 'dashboard'], [bin('cairnq-dashboard')]]) {
    const { child, ended } = await served(program, [...args, ...target]);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null], program);
  }
}

/** Starts it, and looks at what it serves. */
async function served(program, args) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const detached = process.platform !== 'win32';
  const child = spawn(program, args, { env, stdio, detached });
  // That is when every process which has its output has ended.
  const ended = once(child, 'close');
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then((how) => assert.fail(`${program} ended before it served: ${how}`)),
  ]);
  const [url] = /http:\/\/127\.0\.0\.1:\d+\/$/.exec(line);

  const page = await fetch(url);
  assert.equal(page.status, 200);
  const [, script] = /<script[^>]* src="([^"]+)"/.exec(await page.text());
  assert.equal((await fetch(new URL(script, url))).status, 200);

  assert.equal((await fetch(`${url}api/tasks`)).status, 401);
  const headers = { authorization: `Bearer ${token}` };
  const { tasks } = await (await fetch(`${url}api/tasks`, { headers })).json();
  const found = tasks.map(({ name, status }) => [name, status]);
  assert.deepEqual(found, [['mail.send', 'queued']]);
  return { child, ended, url };
}
