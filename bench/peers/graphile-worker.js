import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, makeWorkerUtils, run as start } from 'graphile-worker';
import { deferred } from '../harness/deferred.js';
import { payloadOf } from '../harness/payloads.js';
import { warmUpJobs } from '../harness/warm-up.js';

const quiet = new Logger(() => () => {});
const CHUNK = 5_000;

/**
 * graphile-worker. `batching` is the fastest set-up its performance page documents: a local queue of 500 and
 * completions that travel together.
 */
export async function run({ work, dsn, ...params }) {
  const utils = await makeWorkerUtils({ connectionString: dsn, logger: quiet });
  await utils.migrate();
  try {
    const measure = { drain, latency, submit }[work];
    // A latency has calls of its own before those that count.
    if (work !== 'latency')
      await measure(utils, { dsn, ...params, tasks: warmUpJobs(params.tasks) });
    return await measure(utils, { dsn, ...params });
  } finally {
    await utils.release();
  }
}

async function drain(utils, { dsn, tasks, concurrency, batching, payloadBytes = 20 }) {
  const payload = payloadOf(payloadBytes);
  for (let done = 0; done < tasks; done += CHUNK) {
    const count = Math.min(CHUNK, tasks - done);
    await utils.addJobs(Array.from({ length: count }, () => ({ identifier: 'noop', payload })));
  }
  await utils.withPgClient((client) => client.query('vacuum analyze'));
  let done = 0;
  const all = deferred();
  let started;
  const noop = async () => {
    // From the first job on: opening its pool is not what is measured.
    started ??= performance.now();
    done += 1;
    if (done === tasks) all.resolve();
  };
  const runner = await start({
    preset: { worker: workerOptions(dsn, concurrency, batching) },
    taskList: { noop },
  });
  await all.promise;
  await untilNoneIsLeft(utils);
  const seconds = (performance.now() - started) / 1000;
  await runner.stop();
  return tasks / seconds;
}

/** A job's row goes when its completion is written, some time after its handler has returned. */
async function untilNoneIsLeft(utils) {
  const count = 'select count(*)::int as count from graphile_worker._private_jobs';
  for (;;) {
    const { rows } = await utils.withPgClient((client) => client.query(count));
    if (rows[0].count === 0) return;
    await sleep(5);
  }
}

/** From addJob() to the start of the handler, in one process whose worker is idle. */
async function latency(utils, { dsn, calls }) {
  let begun;
  const ping = async () => begun.resolve(performance.now());
  const runner = await start({
    preset: { worker: workerOptions(dsn, 1, false) },
    taskList: { ping },
  });
  const times = [];
  for (let index = -5; index < calls; index += 1) {
    await sleep(20);
    begun = deferred();
    const added = performance.now();
    await utils.addJob('ping', {});
    const took = (await begun.promise) - added;
    if (index >= 0) times.push(took);
  }
  await runner.stop();
  return { times };
}

async function submit(utils, { tasks, payloadBytes = 20 }) {
  const payload = payloadOf(payloadBytes);
  const one = performance.now();
  for (let index = 0; index < tasks; index += 1) await utils.addJob('noop', payload);
  const many = performance.now();
  await utils.addJobs(Array.from({ length: 10_000 }, () => ({ identifier: 'noop', payload })));
  const ended = performance.now();
  return { oneByOne: (tasks / (many - one)) * 1000, many: (10_000 / (ended - many)) * 1000 };
}

function workerOptions(dsn, concurrency, batching) {
  return {
    connectionString: dsn,
    concurrentJobs: concurrency,
    maxPoolSize: concurrency + 1,
    logger: quiet,
    ...(batching && {
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    }),
  };
}
