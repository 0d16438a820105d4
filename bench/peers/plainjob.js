import { performance } from 'node:perf_hooks';
import Database from 'better-sqlite3-12';
import { better, defineQueue, defineWorker, JobStatus } from 'plainjob';
import { payloadOf } from '../harness/payloads.js';
import { warmUpJobs } from '../harness/warm-up.js';

const quiet = { debug() {}, info() {}, warn() {}, error: console.error };

/**
 * plainjob as its README sets it up: WAL and synchronous = NORMAL are its own settings, one worker runs one job at
 * a time (it has no concurrency option).
 */
export async function run({ work, path, tasks, payloadBytes = 20 }) {
  const queue = defineQueue({ connection: better(new Database(path)), logger: quiet });
  const payload = payloadOf(payloadBytes);
  const measure = { drain, submit }[work];
  await measure(queue, payload, warmUpJobs(tasks));
  const answer = await measure(queue, payload, tasks);
  queue.close();
  return answer;
}

async function drain(queue, payload, tasks) {
  queue.addMany('noop', Array(tasks).fill(payload));
  const before = queue.countJobs({ status: JobStatus.Done });
  let done = 0;
  const worker = defineWorker('noop', async () => {}, {
    queue,
    logger: quiet,
    onCompleted: () => {
      done += 1;
      if (done === tasks) worker.stop();
    },
  });
  const started = performance.now();
  await worker.start();
  const seconds = (performance.now() - started) / 1000;
  const drained = queue.countJobs({ status: JobStatus.Done }) - before;
  if (drained !== tasks) throw new Error('jobs left behind');
  return tasks / seconds;
}

async function submit(queue, payload, tasks) {
  const one = performance.now();
  for (let index = 0; index < tasks; index += 1) queue.add('noop', payload);
  const many = performance.now();
  queue.addMany('noop', Array(10_000).fill(payload));
  const ended = performance.now();
  return { oneByOne: (tasks / (many - one)) * 1000, many: (10_000 / (ended - many)) * 1000 };
}
