import { duration, minutes, percent, plural, rateUpTo, time } from '../data/format.js';
import { useLive } from '../data/live.js';
import { href, navigate } from '../data/router.js';
import { Chart } from '../parts/chart.jsx';
import { NamesTable, QueuesTable } from '../parts/overview-tables.jsx';
import { Empty, Problem, Skeleton, Stale } from '../parts/states.jsx';
import { Tiles } from '../parts/tiles.jsx';

const WINDOWS = [
  { ms: 300_000, name: '5 min' },
  { ms: 900_000, name: '15 min' },
  { ms: 3_600_000, name: '1 h' },
];

const THROUGHPUT = [
  { key: 'succeeded', label: 'succeeded', colour: 'succeeded', filled: true },
  { key: 'failed', label: 'failed', colour: 'failed', line: 'dashed' },
  { key: 'canceled', label: 'canceled', colour: 'canceled', line: 'dotted' },
];
const DEPTH = [
  { key: 'queued', label: 'due', colour: 'queued', filled: true },
  { key: 'delayed', label: 'delayed', colour: 'delayed', line: 'dotted' },
  { key: 'running', label: 'running', colour: 'running', line: 'dashed' },
];
const FAILURES = [
  { key: 'failureShare', label: 'failed for good', colour: 'failed', filled: true },
];
const LATENCY = [
  { key: 'p50', label: 'p50', colour: 'running' },
  { key: 'p95', label: 'p95', colour: 'delayed', line: 'dashed' },
  { key: 'p99', label: 'p99', colour: 'failed', line: 'dotted' },
];

/** How the queue stands, by queue and name, and how it went. */
export function Overview({ params }) {
  const queue = params.get('queue');
  const windowMs = WINDOWS.find(({ ms }) => String(ms) === params.get('window'))?.ms ?? 900_000;
  const { data, error, refresh } = useLive('overview', { queue, windowMs });
  const names = useLive('names', { queue, windowMs }, { everyMs: 4000 });
  const choose = (change) =>
    navigate(href('', { queue, window: params.get('window'), ...change }), { replace: true });

  return (
    <>
      <header class="page-head">
        <h1>Overview</h1>
        <div class="controls">
          <label class="field is-inline">
            <span class="sr">Queue</span>
            <select value={queue ?? ''} onChange={(e) => choose({ queue: e.currentTarget.value })}>
              <option value="">All queues</option>
              {queuesFor(data, queue).map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <fieldset class="segments">
            <legend class="sr">Time shown</legend>
            {WINDOWS.map(({ ms, name }) => (
              <label key={ms}>
                <input
                  type="radio"
                  name="window"
                  checked={ms === windowMs}
                  onChange={() => choose({ window: ms })}
                />
                <span class="segment">{name}</span>
              </label>
            ))}
          </fieldset>
        </div>
      </header>
      {data ? (
        <>
          <Stale error={error} />
          <Tiles overview={data} queue={queue} />
          <Charts series={data.series} />
          {data.queues.length === 0 ? (
            <Empty title="No tasks yet">Tasks appear here as soon as a program submits one.</Empty>
          ) : (
            <>
              <QueuesTable queues={data.queues} capped={data.capped} nowMs={data.nowMs} />
              <NamesTable answer={names.data} error={names.error} queue={queue} />
            </>
          )}
        </>
      ) : error ? (
        <Problem error={error} retry={refresh} />
      ) : (
        <OverviewSkeleton />
      )}
    </>
  );
}

function Charts({ series }) {
  const { points, totals, sampledSinceMs } = series;
  const ended = totals.succeeded + totals.failed;
  const wanted = points.length * series.bucketMs;
  const whole = totals.coveredMs > wanted * 0.9;
  const coverage = whole
    ? 'From the tasks’ completion times.'
    : `From the completion times of the latest tasks, which cover ${minutes(totals.coveredMs)} of this time.`;
  return (
    <section class="charts" aria-label="Charts">
      <Chart
        title="Throughput"
        about={`Tasks ended per second, in steps of 10 s. ${coverage}`}
        points={points}
        lines={THROUGHPUT}
        format={rateUpTo(Math.max(0, ...points.map((point) => point.succeeded ?? 0)))}
      />
      <Chart
        title="Depth"
        about={`How many wait and run, sampled by this dashboard since ${time(sampledSinceMs)}. Counts stop at 10,000 a queue or before.`}
        points={points}
        lines={DEPTH}
        format={compact}
      />
      <Chart
        title="Failure rate"
        about={`Share of the tasks that ended as failed, among ${plural(ended, 'task')} that succeeded or failed. Attempts that are tried again do not count.`}
        points={points}
        lines={FAILURES}
        format={percent}
        most={1}
      />
      <Chart
        title="Due to done"
        about="From when a task was due to its end: waiting and running of its last attempt together. Rows keep no start time. Off by 5 % at most."
        points={points}
        lines={LATENCY}
        format={duration}
      />
    </section>
  );
}

const compact = (n) =>
  new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(n);

function queuesFor(data, queue) {
  const names = (data?.queues ?? []).map((row) => row.queue);
  return queue && !names.includes(queue) ? [queue, ...names] : names;
}

function OverviewSkeleton() {
  return (
    <div aria-busy="true" class="loading">
      <p class="sr">Loading</p>
      <div class="tiles">
        {Array.from({ length: 6 }, (_, n) => (
          <div key={n} class="skeleton tile-size" />
        ))}
      </div>
      <div class="charts">
        {Array.from({ length: 4 }, (_, n) => (
          <div key={n} class="skeleton chart-size" />
        ))}
      </div>
      <Skeleton rows={4} />
    </div>
  );
}
