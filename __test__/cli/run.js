/** Runs the command line as a user does: the program, in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../../bin/cairnq.js', import.meta.url));

/**
 * @param {string[]} args
 * @param {{ input?: string, env?: Record<string, string>, uid?: number }} [options]
 * @returns {Promise<{ code: number | null, out: string, err: string, json: () => any }>}
 */
export async function cairnq(args, { input = '', env = {}, uid } = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    uid,
    gid: uid,
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    texts.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    texts.err += chunk;
  });
  child.stdin.on('error', () => {}); // it may end without reading
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, ...texts, json: () => JSON.parse(texts.out) };
}

/** The database of a stage as the command line names it. */
export function targetOf(stage) {
  return stage.path ?? stage.world.dsn;
}
