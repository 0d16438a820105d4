import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import PgBoss from 'pg-boss';
import { payloadOf } from '../harness/payloads.js';
import { warmUpJobs } from '../harness/warm-up.js';

const CHUNK = 5_000;

/**
 * pg-boss. Its workers poll (every 0.5 s at best) and take a batch each time; large batches and the shortest interval
 * are what its documentation offers for throughput.
 */
export async function run({ work, dsn, tasks, batchSize, workers, payloadBytes = 20 }) {
  const boss = new PgBoss({ connectionString: dsn, supervise: false, schedule: false });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue('noop');
  const payload = payloadOf(payloadBytes);
  const measure = (jobs) =>
    work === 'drain' ? drain(boss, payload, jobs, batchSize, workers) : submit(boss, payload, jobs);
  await measure(warmUpJobs(tasks));
  const answer = await measure(tasks);
  await boss.stop({ graceful: false });
  return answer;
}

async function drain(boss, data, tasks, batchSize, workers) {
  for (let done = 0; done < tasks; done += CHUNK) {
    const count = Math.min(CHUNK, tasks - done);
    await boss.insert(Array.from({ length: count }, () => ({ name: 'noop', data })));
  }
  await boss.getDb().executeSql('vacuum analyze');
  const before = await completed(boss);
  const started = performance.now();
  for (let worker = 0; worker < workers; worker += 1) {
    await boss.work('noop', { batchSize, pollingIntervalSeconds: 0.5 }, async () => {});
  }
  while ((await completed(boss)) < before + tasks) await sleep(20);
  const seconds = (performance.now() - started) / 1000;
  await boss.offWork('noop');
  return tasks / seconds;
}

/** Completions are written after the handler has returned, so the table is what tells. */
async function completed(boss) {
  const count =
    "select count(*)::int as count from pgboss.job where name = 'noop' and state = 'completed'";
  const { rows } = await boss.getDb().executeSql(count);
  return rows[0].count;
}

async function submit(boss, data, tasks) {
  const one = performance.now();
  for (let index = 0; index < tasks; index += 1) await boss.send('noop', data);
  const many = performance.now();
  await boss.insert(Array.from({ length: 10_000 }, () => ({ name: 'noop', data })));
  const ended = performance.now();
  return { oneByOne: (tasks / (many - one)) * 1000, many: (10_000 / (ended - many)) * 1000 };
}
