/**
 * The metrics of workers. Several workers of a process are added up: what tells processes apart is
 * Prometheus's own `instance` label, and a label of worker ids would grow without end.
 *
 * @typedef {import('../../index.js').WorkerStats} WorkerStats
 * @typedef {import('../../index.js').Histogram} Histogram
 * @typedef {import('./exposition.js').Exposition} Exposition
 */

const OUTCOMES = /** @type {const} */ (['succeeded', 'failed', 'retried', 'canceled']);
const STATES = /** @type {const} */ (['ready', 'running', 'settling']);

/**
 * @param {Exposition} text
 * @param {WorkerStats[]} workers
 */
export function writeWorkers(text, workers) {
  const sum = (/** @type {(worker: WorkerStats) => number} */ of) =>
    workers.reduce((total, worker) => total + of(worker), 0);
  const gauge = single(text, 'gauge');
  const counter = single(text, 'counter');
  gauge(
    'cairnq_worker_slots',
    'Handler calls that may run at once.',
    sum((w) => w.slots),
  );
  gauge(
    'cairnq_worker_running_calls',
    'Handler calls under way.',
    sum((w) => w.runningCalls),
  );
  gauge(
    'cairnq_worker_in_flight_bytes',
    'Payload bytes of calls ready or running.',
    sum((w) => w.bytes),
  );
  writeNames(text, added(workers.map(({ names }) => names)));
  writeResources(text, added(workers.map(({ resources }) => resources)));
  counter(
    'cairnq_worker_empty_claims_total',
    'Claim rounds that brought nothing.',
    sum((w) => w.emptyClaims),
  );
  counter(
    'cairnq_worker_failed_claims_total',
    'Claim rounds that failed.',
    sum((w) => w.failedClaims),
  );
  const histogram = (
    /** @type {string} */ name,
    /** @type {string} */ help,
    /** @type {(worker: WorkerStats) => Histogram} */ of,
  ) => {
    if (workers.length > 0) text.histogram(name, help, addedHistograms(workers.map(of)));
  };
  histogram('cairnq_worker_claim_duration_seconds', 'Claim rounds.', (w) => w.claims);
  histogram(
    'cairnq_worker_run_duration_seconds',
    "From a task's start to its outcome.",
    (w) => w.runs,
  );
  histogram(
    'cairnq_worker_settlement_duration_seconds',
    'From an outcome to its commit.',
    (w) => w.settlements,
  );
}

/**
 * @param {Exposition} text
 * @param {Map<string, any>} names
 */
function writeNames(text, names) {
  const by = (/** @type {(counts: any) => number} */ of) =>
    Array.from(names, ([name, counts]) => sample({ name }, of(counts)));
  const each = (
    /** @type {string} */ label,
    /** @type {readonly string[]} */ kinds,
    /** @type {(counts: any, kind: string) => number} */ of,
  ) =>
    Array.from(names).flatMap(([name, counts]) =>
      kinds.map((kind) => sample({ name, [label]: kind }, of(counts, kind))),
    );
  text.family(
    'gauge',
    'cairnq_worker_tasks_in_flight',
    'Tasks under a lease of this process.',
    each('state', STATES, (counts, state) => counts.inFlight[state]),
  );
  text.family(
    'counter',
    'cairnq_worker_tasks_settled_total',
    'Attempts whose outcome is in the database.',
    each('outcome', OUTCOMES, (counts, outcome) => counts[outcome]),
  );
  for (const [field, help] of Object.entries({
    claimed: 'Tasks leased.',
    started: 'Tasks given to a handler.',
    lost: 'Attempts whose lease was lost or given up.',
    released: 'Tasks handed back to the queue.',
    timedOut: 'Attempts that ran longer than maxRunMs.',
  })) {
    const name = field === 'timedOut' ? 'timed_out' : field;
    text.family(
      'counter',
      `cairnq_worker_tasks_${name}_total`,
      help,
      by((counts) => counts[field]),
    );
  }
}

/**
 * @param {Exposition} text
 * @param {Map<string, any>} resources
 */
function writeResources(text, resources) {
  const by = (/** @type {string} */ field) =>
    Array.from(resources, ([resource, counts]) => sample({ resource }, counts[field]));
  text.family(
    'gauge',
    'cairnq_worker_resource_capacity',
    'Units of a resource that there are.',
    by('capacity'),
  );
  text.family(
    'gauge',
    'cairnq_worker_resource_in_use',
    'Units of a resource that calls hold.',
    by('inUse'),
  );
}

/**
 * @param {Exposition} text
 * @param {'gauge' | 'counter'} type
 * @returns {(name: string, help: string, value: number) => void}
 */
function single(text, type) {
  return (name, help, value) => text.family(type, name, help, [sample({}, value)]);
}

/**
 * @param {Record<string, string>} labels
 * @param {number} value
 * @returns {[Record<string, string>, number]}
 */
function sample(labels, value) {
  return [labels, value];
}

/**
 * Records of numbers, some a level deeper, added up key by key. A Map, because a task may be called
 * `__proto__`.
 *
 * @param {Record<string, any>[]} records
 * @returns {Map<string, any>}
 */
function added(records) {
  const sums = new Map();
  for (const record of records) {
    for (const [key, value] of Object.entries(record)) {
      const before = sums.get(key);
      sums.set(key, before === undefined ? value : addedValues(before, value));
    }
  }
  return sums;
}

/**
 * @param {any} left
 * @param {any} right
 * @returns {any}
 */
function addedValues(left, right) {
  if (typeof left === 'number') return left + right;
  const entries = Object.keys(left).map((key) => [key, addedValues(left[key], right[key])]);
  return Object.fromEntries(entries);
}

/**
 * @param {Histogram[]} histograms at least one
 * @returns {Histogram}
 */
function addedHistograms([first, ...others]) {
  return others.reduce(
    (sum, { count, sumMs, counts }) => ({
      count: sum.count + count,
      sumMs: sum.sumMs + sumMs,
      boundsMs: sum.boundsMs,
      counts: sum.counts.map((value, index) => value + counts[index]),
    }),
    first,
  );
}
