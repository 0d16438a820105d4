/**
 * Random programs of store operations, as plain data: what fails is printed and shrunk as it is written here.
 * Tasks are named by what they are at that moment (`{of: 'running', n: 2}` is the third of the running ones), so
 * that a program stays meaningful when shrinking takes steps out of it.
 */
import fc from 'fast-check';

export const QUEUES = ['default', 'other', '__proto__'];
export const NAMES = ['a', 'b', 'constructor'];
export const WORKERS = ['worker_1', 'worker_2'];
const KEYS = ['', 'k', '__proto__'];
const FAR_MS = 3_600_000;

// Without null prototypes: what comes back from a database never has one.
const record = (fields) => fc.record(fields, { noNullPrototype: true });
const orNull = (arbitrary) => fc.option(arbitrary, { nil: null, freq: 3 });
const one = (...values) => fc.constantFrom(...values);
const index = fc.nat(7);

// NUL and lone surrogates have rules and tests of their own; the rest of Unicode belongs here.
const text = fc
  .string({ unit: 'binary', maxLength: 8 })
  .map((value) => value.toWellFormed().replaceAll('\0', ''));
const key = fc.oneof(text, one('__proto__', 'constructor', 'toJSON ', ''));
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => (Object.is(value, -0) ? 0 : value));
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text,
    number,
    fc.boolean(),
    one(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries)),
  ),
}));
const object = fc
  .array(fc.tuple(key, json), { maxLength: 3 })
  .map((entries) => Object.fromEntries(entries));
const payload = json.map((value) => value ?? {});

const task = record({ of: one('running', 'queued', 'terminal', 'any', 'any'), n: index });
const runningTask = record({ of: one('running', 'running', 'running', 'any'), n: index });
const owner = one('owner', 'owner', 'owner', ...WORKERS);
const delayMs = one(0, 0, FAR_MS);
const leaseMs = one(FAR_MS, 2 * FAR_MS);

const input = record({
  name: one(...NAMES),
  queue: one(...QUEUES),
  payload,
  metadata: object,
  key: orNull(one(...KEYS)),
  conflict: one('reuse', 'reuse-succeeded', 'reject', 'replace'),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  priority: one(0, 0, 1, -1, 2 ** 31 - 1),
  parentId: orNull(one('task_parent')),
  rootId: orNull(one('task_root')),
  correlationId: orNull(one('c')),
  runAtDelayMs: delayMs,
});
const draw = record({
  names: fc.subarray(NAMES, { minLength: 1 }),
  limit: fc.integer({ min: 0, max: 3 }),
});
const error = record({
  type: text,
  code: text,
  message: text,
  retryable: fc.boolean(),
  details: object,
});
const filters = { queue: orNull(one(...QUEUES)), name: orNull(one(...NAMES)) };
const status = orNull(one('queued', 'running', 'succeeded', 'failed', 'canceled'));

const kinds = {
  submit: [8, { input }],
  submitMany: [1, { inputs: fc.array(input, { maxLength: 4 }) }],
  claim: [
    6,
    {
      queues: fc.subarray(QUEUES),
      names: orNull(fc.subarray(NAMES)),
      limit: fc.integer({ min: 0, max: 3 }),
      workerId: one(...WORKERS),
      leaseMs,
    },
  ],
  claimSession: [
    2,
    {
      queues: fc.subarray(QUEUES, { minLength: 1 }),
      names: fc.subarray(NAMES, { minLength: 1 }),
      workerId: one(...WORKERS),
      leaseMs,
      draws: fc.array(draw, { maxLength: 3 }),
      commit: one(true, true, false),
    },
  ],
  heartbeat: [1, { task: runningTask, by: owner, leaseMs }],
  heartbeatBatch: [
    1,
    { tasks: fc.array(task, { maxLength: 4 }), workerId: one(...WORKERS), leaseMs },
  ],
  progress: [
    2,
    {
      task: runningTask,
      by: owner,
      progress: orNull(number),
      message: orNull(text),
    },
  ],
  succeed: [1, { task: runningTask, by: owner, result: json, message: orNull(text) }],
  complete: [3, { task: runningTask, by: owner, result: json, message: orNull(text) }],
  fail: [4, { task: runningTask, by: owner, error, retryable: fc.boolean(), delayMs }],
  cancel: [3, { task }],
  cancelByKey: [1, { key: one(...KEYS) }],
  retry: [2, { task, resetAttempt: fc.boolean() }],
  retryByKey: [1, { key: one(...KEYS), resetAttempt: fc.boolean() }],
  purge: [1, { status, ...filters, limit: fc.integer({ min: 1, max: 3 }) }],
  list: [
    1,
    {
      status,
      ...filters,
      rootId: orNull(one('task_root')),
      correlationId: orNull(one('c')),
      limit: fc.integer({ min: 0, max: 4 }),
      offset: fc.integer({ min: 0, max: 2 }),
    },
  ],
  get: [1, { task, key: orNull(one(...KEYS)) }],
  stats: [1, {}],
  queueDepth: [1, { queue: one(...QUEUES), maxDepth: fc.integer({ min: 0, max: 4 }) }],
  /** The clock leaps: a lease is over, a delayed task due, a finished one old. */
  leaseEnds: [3, { task: runningTask }],
  becomesDue: [1, { task }],
  growsOld: [1, { task }],
};

const step = fc.oneof(
  ...Object.entries(kinds).map(([op, [weight, fields]]) => ({
    weight,
    arbitrary: record({ op: fc.constant(op), ...fields }),
  })),
);

/** Programs of store operations. */
export const storePrograms = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });
