import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Inspector } from '../../lib/inspect/index.js';
import {
  collectMetrics,
  metricsHandler,
  prometheusText,
  writeMetricsFile,
} from '../../lib/metrics/index.js';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { until } from '../support/until.js';

/** Samples by their name and labels, as a scraper reads them. */
function parsed(text) {
  const types = new Map();
  const samples = new Map();
  for (const line of text.trimEnd().split('\n')) {
    const [, comment, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (comment === 'TYPE') types.set(name, rest);
    if (comment) continue;
    const [, key, value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    expect(key, line).toBeDefined();
    expect(Number(value), line).not.toBeNaN();
    expect(samples.has(key), key).toBe(false);
    samples.set(key, Number(value));
  }
  return { types, samples };
}

async function documented() {
  const page = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  return new Map(
    Array.from(page.matchAll(/^\| `(cairnq_\w+)` \| (\w+) \|/gm), ([, name, type]) => [name, type]),
  );
}

const overview = {
  nowMs: 10_000,
  schemaLevel: 6,
  capped: false,
  queues: [
    {
      queue: 'a "quoted"\\queue\nof two lines',
      counts: { queued: 3, delayed: 0, running: 1, succeeded: 10_000, failed: 0, canceled: 0 },
      capped: ['succeeded'],
      oldestDueMs: 4_000,
    },
    {
      queue: 'idle',
      counts: { queued: 0, delayed: 2, running: 0, succeeded: 0, failed: 0, canceled: 0 },
      capped: [],
      oldestDueMs: null,
    },
  ],
};
const inspector = { overview: async () => overview };

onEveryBackend('metrics of workers', (backend) => {
  it('says what stats() says', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const worker = stage.run(
      {
        good: [{ resource: 'gpu' }, () => null],
        bad: () => {
          throw new Error('no');
        },
      },
      { resources: { gpu: 3 } },
    );
    const tasks = [
      await client.submit('good'),
      await client.submit('good'),
      await client.submit('bad', null, { maxAttempts: 1 }),
    ];
    for (const { id } of tasks) await client.wait(id);
    await until(() => worker.stats().inFlight.settling === 0);
    const stats = worker.stats();
    const { types, samples } = parsed(prometheusText(stats));
    expect(samples.get('cairnq_worker_tasks_settled_total{name="good",outcome="succeeded"}')).toBe(
      2,
    );
    expect(samples.get('cairnq_worker_tasks_settled_total{name="bad",outcome="failed"}')).toBe(1);
    expect(samples.get('cairnq_worker_tasks_in_flight{name="good",state="running"}')).toBe(0);
    expect(samples.get('cairnq_worker_resource_capacity{resource="gpu"}')).toBe(3);
    expect(samples.get('cairnq_worker_run_duration_seconds_count')).toBe(3);
    expect(samples.get('cairnq_worker_run_duration_seconds_bucket{le="+Inf"}')).toBe(3);
    expect(samples.get('cairnq_worker_run_duration_seconds_sum')).toBeCloseTo(
      stats.runs.sumMs / 1000,
    );
    const buckets = Array.from(samples).filter(([key]) =>
      key.startsWith('cairnq_worker_settlement_duration_seconds_bucket'),
    );
    const counts = buckets.map(([, count]) => count);
    expect(counts).toEqual(counts.toSorted((left, right) => left - right));
    expect(types.get('cairnq_worker_settlement_duration_seconds')).toBe('histogram');
  });

  it('adds up the workers of a process', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const workers = [
      stage.run({ one: () => null, __proto: () => null }),
      stage.run({ two: () => null }),
    ];
    for (const name of ['one', 'two', 'two']) await client.call(name);
    await until(() => workers[1].stats().totals.succeeded === 2);
    await until(() => workers[0].stats().totals.succeeded === 1);
    const { samples } = parsed(await collectMetrics({ workers }));
    expect(samples.get('cairnq_worker_slots')).toBe(2);
    expect(samples.get('cairnq_worker_tasks_claimed_total{name="one"}')).toBe(1);
    expect(samples.get('cairnq_worker_tasks_claimed_total{name="two"}')).toBe(2);
    expect(samples.get('cairnq_worker_run_duration_seconds_count')).toBe(3);
  });

  it('says what an inspector sees of the database', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submit('waits');
    await client.submit('later', null, { runAtDelayMs: 3_600_000, queue: 'other' });
    const { samples } = parsed(await collectMetrics({ inspector: new Inspector(client.store) }));
    expect(samples.get('cairnq_queue_tasks{queue="default",status="queued"}')).toBe(1);
    expect(samples.get('cairnq_queue_tasks{queue="other",status="delayed"}')).toBe(1);
    expect(samples.get('cairnq_queue_tasks{queue="other",status="queued"}')).toBe(0);
    expect(samples.get('cairnq_queue_oldest_due_seconds{queue="default"}')).toBeLessThan(60);
    expect(samples.get('cairnq_schema_level')).toBe(6);
  });

  it('docs/metrics.md lists every metric with its type', async () => {
    const stage = await setStage(backend);
    const worker = stage.worker({ resources: { gpu: 1 } });
    worker.task('any', () => null);
    const { types } = parsed(await collectMetrics({ workers: [worker], inspector }));
    expect(await documented()).toEqual(types);
  });
});

describe('metrics', () => {
  it('the Grafana dashboard asks for documented metrics only', async () => {
    const file = new URL('../../docs/grafana/cairnq.json', import.meta.url);
    const { panels } = JSON.parse(await readFile(file, 'utf8'));
    const asked = panels
      .flatMap(({ targets = [] }) => targets)
      .flatMap(({ expr }) => expr.match(/cairnq_\w+/g));
    const known = await documented();
    const unknown = asked.filter((name) => !known.has(name.replace(/_(bucket|count)$/, '')));
    expect(asked.length).toBeGreaterThan(20);
    expect(unknown).toEqual([]);
  });

  it('a store: depth, caps and age of what waits, with labels escaped', async () => {
    const { samples } = parsed(await collectMetrics({ inspector }));
    const queue = 'queue="a \\"quoted\\"\\\\queue\\nof two lines"';
    expect(samples.get(`cairnq_queue_tasks{${queue},status="queued"}`)).toBe(3);
    expect(samples.get(`cairnq_queue_tasks_capped{${queue},status="succeeded"}`)).toBe(1);
    expect(samples.get(`cairnq_queue_tasks_capped{${queue},status="queued"}`)).toBe(0);
    expect(samples.get(`cairnq_queue_oldest_due_seconds{${queue}}`)).toBe(6);
    expect(samples.get('cairnq_queue_oldest_due_seconds{queue="idle"}')).toBe(0);
    expect(samples.get('cairnq_schema_level')).toBe(6);
  });

  it('the handler answers GET and HEAD, refuses other methods, and hides why it failed', async () => {
    const errors = [];
    let broken = false;
    const failing = {
      overview: async () => {
        if (broken) throw new Error('no route to db.internal');
        return overview;
      },
    };
    const server = createServer(
      metricsHandler({ inspector: failing, onError: (error) => errors.push(error.message) }),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => new Promise((resolve) => server.close(resolve)));
    const url = `http://127.0.0.1:${server.address().port}/metrics`;
    const good = await fetch(url);
    expect(good.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await good.text()).toContain('cairnq_schema_level 6');
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await fetch(url, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    broken = true;
    const bad = await fetch(url);
    expect([bad.status, await bad.text()]).toEqual([500, 'metrics are unavailable\n']);
    expect(errors).toEqual(['no route to db.internal']);
  });

  it('the file is replaced whole, again and again, until it is stopped', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cairnq-metrics-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'cairnq.prom');
    let asked = 0;
    const counting = {
      overview: async () => {
        asked += 1;
        return { ...overview, schemaLevel: asked };
      },
    };
    const writing = writeMetricsFile(file, { inspector: counting, intervalMs: 5 });
    await until(() => asked > 3);
    await writing.stop();
    const last = asked;
    expect(await readFile(file, 'utf8')).toContain(`cairnq_schema_level ${last}\n`);
    expect(await readdir(folder)).toEqual(['cairnq.prom']);
    expect(() => writeMetricsFile(file, { intervalMs: 0 })).toThrow(
      'intervalMs must be >= 1, got 0',
    );
  });

  it('a file that cannot be written is reported, and tried again', async () => {
    const errors = [];
    const writing = writeMetricsFile('/nowhere/at/all.prom', {
      inspector,
      intervalMs: 5,
      onError: (error) => errors.push(error.code),
    });
    await until(() => errors.length > 1);
    await writing.stop();
    expect(new Set(errors)).toEqual(new Set(['ENOENT']));
  });
});
