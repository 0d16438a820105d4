import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { deferred } from './deferred.js';

const main = fileURLToPath(new URL('actor-main.js', import.meta.url));
const TIME_LIMIT_MS = 15 * 60_000;

/**
 * Runs one measurement in a Node process of its own and gives what it returns.
 * @param {string} name of a module in actors/ or peers/, without its extension
 * @param {object} params handed to the module's run()
 */
export async function act(name, params) {
  return await startActor(name, params).result;
}

/**
 * Starts one that has two phases: it says when it is ready for the second, and is told when to go on.
 * @param {string} name
 * @param {object} params
 */
export function startActor(name, params) {
  const file = new URL(`../${name}.js`, import.meta.url).href;
  const child = fork(main, [file], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const said = collect(child);
  const ready = deferred();
  const result = new Promise((resolve, reject) => {
    let answer = null;
    child.on('message', (message) => {
      if ('ready' in message) ready.resolve(message.ready);
      else answer = message;
    });
    child.on('error', reject);
    child.once('exit', (code, signal) => {
      if (answer && 'result' in answer) resolve(answer.result);
      else reject(new Error(answer?.error ?? `${name} ended (${code ?? signal}):\n${said()}`));
    });
  });
  result.catch(ready.reject);
  ready.promise.catch(() => {});
  limitTime(child, result);
  child.send({ params });
  return {
    pid: child.pid,
    ready: ready.promise,
    result,
    goOn: () => {
      if (child.connected) child.send({ goOn: true });
    },
  };
}

/**
 * Runs a program that prints its answer as JSON on its last line.
 * @param {string} file
 * @param {string[]} args
 */
export async function runProgram(file, args, options = {}) {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const said = collect(child);
  const closed = once(child, 'close');
  limitTime(child, closed);
  const [code, signal] = await closed;
  if (code !== 0) throw new Error(`${file} ended (${code ?? signal}):\n${said()}`);
  return JSON.parse(output.trimEnd().split('\n').at(-1));
}

function collect(child) {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      said = (said + chunk).slice(-4096);
    });
  }
  return () => said;
}

function limitTime(child, ended) {
  const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS);
  const end = () => clearTimeout(timer);
  ended.then(end, end);
}
