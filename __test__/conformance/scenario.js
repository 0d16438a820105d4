/** The interpreter of protocol/conformance/*.json; the README.md there is the format's definition. */
import { setTimeout as delay } from 'node:timers/promises';
import { mismatch } from './expectation.js';
import { resolve } from './reference.js';

/** What each operation asks of a store; arguments that are options stay one object. */
const OPERATIONS = {
  submit: (store, options) => store.submit(options),
  get: (store, { id }) => store.get(id),
  get_by_key: (store, { key }) => store.getByKey(key),
  list: (store, options) => store.list(options),
  cancel: (store, { id }) => store.cancel(id),
  cancel_by_key: (store, { key }) => store.cancelByKey(key),
  retry: (store, { id, ...options }) => store.retry(id, options),
  retry_by_key: (store, { key, ...options }) => store.retryByKey(key, options),
  purge: (store, options) => store.purge(options),
  stats: (store, { queue }) => store.stats(queue),
  queue_depth: (store, { queue, maxDepth }) => store.queueDepth(queue, maxDepth),
  claim: (store, options) => store.claim(options),
  heartbeat: (store, options) => store.heartbeat(options),
  heartbeat_batch: async (store, options) => [...(await store.heartbeatBatch(options))],
  progress: (store, options) => store.progress(options),
  succeed: (store, options) => store.succeed(options),
  complete: (store, options) => store.complete(options),
  fail: (store, options) => store.fail(options),
  sleep: (_store, { ms }) => delay(ms),
};

const REPEAT_EVERY_MS = 10;

/**
 * Runs the steps in order on a store with an empty database; rejects at the first that answers otherwise.
 * @param {object} store a SQLiteStore or PostgresStore, or anything with the same methods
 * @param {object[]} steps
 */
export async function runScenario(store, steps) {
  const saved = new Map();
  for (const [index, step] of steps.entries()) {
    const answer = await answerOf(store, step, saved);
    const wrong = difference(step, answer, saved);
    if (wrong) {
      throw new Error(`step ${index + 1}, ${step.op}: ${wrong}\nanswer: ${JSON.stringify(answer)}`);
    }
    if (step.save) saved.set(step.save, answer.value);
  }
}

async function answerOf(store, step, saved) {
  const args = camelCased(resolve(step.args ?? {}, saved));
  const deadline = performance.now() + (step.within_ms ?? 0);
  for (let round = 1; ; round++) {
    const answer = await once(store, step.op, args);
    const settled = step.within_ms === undefined || !difference(step, answer, saved);
    if (settled ? round >= (step.times ?? 1) : performance.now() > deadline) return answer;
    if (!settled) await delay(REPEAT_EVERY_MS);
  }
}

async function once(store, op, args) {
  const operation = OPERATIONS[op];
  if (!operation) throw new Error(`unknown op: ${op}`);
  try {
    return { value: (await operation(store, args)) ?? null };
  } catch (error) {
    const { name, message } = error;
    return { error: { ...snakeCased(error), name, message } };
  }
}

function difference(step, answer, saved) {
  const expected = 'expect' in step ? resolve(step.expect, saved) : undefined;
  if (expected?.$error) {
    if (!answer.error) return 'an error was expected';
    return mismatch(expected.$error, answer.error, '$error');
  }
  if (answer.error) return `it failed with ${answer.error.name}: ${answer.error.message}`;
  return expected === undefined ? null : mismatch(expected, answer.value, 'answer');
}

/** Only the names of the options: what is inside payload, error and the like belongs to the user. */
function camelCased(args) {
  const camel = (name) => name.replace(/_(.)/g, (_match, letter) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [camel(name), value]));
}

function snakeCased(fields) {
  const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snake(name), value]));
}
