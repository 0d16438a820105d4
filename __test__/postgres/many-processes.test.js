import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { sized } from '../cases/long.js';
import { pass, until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { watchRequeues } from './leases.js';
import { ownServer } from './reach.js';

const PROCESSES = 4;
const UNDISTURBED = sized({ short: 10_000, long: 100_000 });
const DISTURBED = sized({ short: 2000, long: 100_000 });
const LEASE_MS = 3000;
/** In a long run every lease ends while the server is away. */
const AWAY_MS = sized({ short: 300, long: 4000 });
const MANY_MS = sized({ short: 90_000, long: 600_000 });

onBackend('postgres', 'many worker processes on one queue', (backend) => {
  /** Submits `count` tasks and starts the processes; `end()` stops them and gives the attempts they ran. */
  async function setUp(stage, count, options) {
    const folder = mkdtempSync(path.join(tmpdir(), 'cairnq-runs-'));
    stage.atEnd(async () => rmSync(folder, { recursive: true }));
    const client = stage.client();
    for (let from = 0; from < count; from += 5000) {
      await client.submitMany(
        Array.from({ length: Math.min(5000, count - from) }, (_, i) => ({
          name: 'counted',
          payload: from + i,
          maxAttempts: 20,
        })),
      );
    }
    const requeues = await watchRequeues(stage);
    const files = Array.from({ length: PROCESSES }, (_, i) => path.join(folder, String(i)));
    const peers = files.map((runs) =>
      stage.peer('drain.js', { runs, options: { concurrency: 16, leaseMs: LEASE_MS, ...options } }),
    );
    await Promise.all(peers.map((peer) => peer.event('ready', { timeoutMs: 30_000 })));
    const succeeded = async () => {
      const [{ n }] = await stage
        .sql("select count(*) as n from cairnq_tasks where status = 'succeeded'")
        .catch(() => [{ n: 0 }]);
      return n;
    };
    const end = async () => {
      for (const peer of peers) peer.send({});
      const told = await Promise.all(
        peers.map((peer) => peer.event('over', { timeoutMs: 30_000 })),
      );
      const runs = files.flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean));
      return { told, runs };
    };
    return { client, requeues, succeeded, end };
  }

  it(`${UNDISTURBED} tasks, ${PROCESSES} processes: each task is run exactly once`, {
    timeout: MANY_MS,
  }, async () => {
    const stage = await setStage(backend);
    const { requeues, succeeded, end } = await setUp(stage, UNDISTURBED);
    const from = performance.now();
    await until(async () => (await succeeded()) === UNDISTURBED, {
      timeoutMs: MANY_MS,
      everyMs: 100,
    });
    const seconds = (performance.now() - from) / 1000;
    const { told, runs } = await end();
    expect(runs.length).toBe(UNDISTURBED);
    expect(new Set(runs).size).toBe(UNDISTURBED);
    expect(runs.every((run) => run.endsWith(' 1'))).toBe(true);
    // Nobody was left without a share, and nobody met an error.
    for (const { runs: share, errors } of told) {
      expect(share).toBeGreaterThan(0);
      expect(errors).toEqual({});
    }
    const counts = await stage.sql(
      `select status, attempt, count(*) as n, count(distinct worker_id) as workers,
         count(*) filter (where lease_until_ms is not null) as leases,
         count(*) filter (where result = payload) as right
       from cairnq_tasks group by 1, 2`,
    );
    const n = UNDISTURBED;
    expect(counts).toEqual([
      { status: 'succeeded', attempt: 1, n, workers: PROCESSES, leases: 0, right: n },
    ]);
    // A task held ready may go back unbegun when its slots are long in coming; none may be taken.
    expect((await requeues()).filter(({ handed_back }) => !handed_back)).toEqual([]);
    const shares = told.map(({ runs: share }) => share).join(', ');
    console.log(`${n} tasks in ${seconds.toFixed(1)} s by ${PROCESSES} processes: ${shares}`);
  });

  it(`${DISTURBED} tasks while the server restarts twice: none lost, none run beside its lease`, {
    timeout: MANY_MS,
  }, async () => {
    const server = await ownServer();
    const stage = await setStage(backend, { server: server.dsn });
    const { requeues, succeeded, end } = await setUp(stage, DISTURBED, { concurrency: 4 });
    for (const [share, mode] of [
      [0.15, 'fast'],
      [0.5, 'immediate'],
    ]) {
      await until(async () => (await succeeded()) >= DISTURBED * share, {
        timeoutMs: MANY_MS,
        everyMs: 50,
      });
      await server.stop(mode);
      await pass(AWAY_MS);
      await server.start();
    }
    await until(async () => (await succeeded()) === DISTURBED, { timeoutMs: MANY_MS, everyMs: 50 });
    const { told, runs } = await end();
    // An attempt is one run at most, and every task has had one.
    expect(new Set(runs).size).toBe(runs.length);
    expect(new Set(runs.map((run) => run.split(' ')[0])).size).toBe(DISTURBED);
    const [{ n, attempts }] = await stage.sql(
      "select count(*) as n, sum(attempt)::int as attempts from cairnq_tasks where status = 'succeeded'",
    );
    expect(n).toBe(DISTURBED);
    const taken = (await requeues()).filter(({ handed_back }) => !handed_back);
    for (const { id, left_ms } of taken) expect(left_ms, id).toBeLessThanOrEqual(0);
    // Every attempt beyond the first follows a lease that ended.
    expect(attempts).toBe(DISTURBED + taken.length);
    expect(runs.length).toBeLessThanOrEqual(attempts);
    const shares = told.map(({ runs: share }) => share).join(', ');
    const reports = told.map(({ errors }) => sum(Object.values(errors))).join(', ');
    const causes = [...new Set(told.flatMap(({ errors }) => Object.keys(errors)))].join(', ');
    console.log(
      `${n} tasks, ${runs.length} runs by ${PROCESSES} processes: ${shares}; ${taken.length} leases ended; ` +
        `reports: ${reports} (${causes})`,
    );
  });
});

const sum = (numbers) => numbers.reduce((so, number) => so + number, 0);
