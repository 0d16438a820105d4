/** Random programs around real workers: processes come and go while tasks are submitted, cancelled and retried. */
import fc from 'fast-check';

const record = (fields) => fc.record(fields, { noNullPrototype: true });
const slot = fc.nat(1);
const index = fc.nat(9);

const submit = record({
  op: fc.constant('submit'),
  name: fc.constantFrom(
    'returns',
    'waits',
    'throws',
    'throwsForGood',
    'timesOut',
    'blocks',
    'settlesItself',
    'failsItself',
  ),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  priority: fc.integer({ min: -1, max: 1 }),
  runAtDelayMs: fc.constantFrom(0, 0, 0, 60),
  key: fc.option(fc.constantFrom('k', 'l'), { nil: null, freq: 3 }),
  conflict: fc.constantFrom('reuse', 'reuse-succeeded', 'replace'),
});
const start = record({
  op: fc.constant('start'),
  slot,
  concurrency: fc.constantFrom(1, 2, 8),
  prefetch: fc.constantFrom('auto', 0, 4),
});

const step = fc.oneof(
  { weight: 8, arbitrary: submit },
  { weight: 2, arbitrary: start },
  {
    weight: 1,
    arbitrary: record({ op: fc.constant('stop'), slot, graceMs: fc.constantFrom(null, 0, 30) }),
  },
  { weight: 2, arbitrary: record({ op: fc.constant('kill'), slot }) },
  { weight: 2, arbitrary: record({ op: fc.constant('cancel'), task: index }) },
  {
    weight: 1,
    arbitrary: record({ op: fc.constant('retry'), task: index, resetAttempt: fc.boolean() }),
  },
  { weight: 1, arbitrary: record({ op: fc.constant('wait'), ms: fc.constantFrom(5, 50, 200) }) },
);

export const workerPrograms = fc
  .tuple(start, fc.array(step, { minLength: 4, maxLength: 24, size: 'max' }))
  .map(([first, rest]) => [first, ...rest]);
