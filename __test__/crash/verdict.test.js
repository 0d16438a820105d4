import { expect, it } from 'vitest';
import { expected } from './handlers.js';
import { isClean, verdict } from './verdict.js';

const row = (id, n, fields = {}) => ({
  id,
  status: 'succeeded',
  payload: { n },
  result: expected({ n }),
  ...fields,
});
const change = (task_id, old_status, new_status, fields = {}) => ({
  task_id,
  old_status,
  new_status,
  attempt: 1,
  lease_ms: null,
  at_ms: 0,
  ...fields,
});
const told = (event, id, pid, at, fields = {}) => ({ event, id, pid, at, attempt: 1, ...fields });

function judge({ ledger = [], audit = [], rows = [] }) {
  return verdict({ ledger, audit, rows, expected });
}

it('case 10 what no update claimed was claimed as it was written', () => {
  const report = judge({
    ledger: [told('start', 'a', 1, 1), told('start', 'b', 1, 2), told('start', 'b', 1, 3)],
    audit: [change('a', 'queued', 'running', { attempt: 0 }), change('b', 'running', 'queued')],
    rows: [row('a', 1), row('b', 2)],
  });
  expect(report.claimedAsWritten).toBe(1);
});

it('case 10 a run without faults is clean', () => {
  const report = judge({
    ledger: [
      told('acknowledged', 'a', 1, 1),
      told('start', 'a', 2, 2),
      { event: 'killed', pid: 2, at: 3 },
      told('start', 'a', 3, 9, { attempt: 2 }),
      told('settled', 'a', 3, 10, { attempt: 2 }),
      told('end', 'a', 3, 11, { attempt: 2 }),
    ],
    audit: [
      change('a', 'queued', 'running', { attempt: 0 }),
      change('a', 'running', 'queued', { lease_ms: 8, at_ms: 8 }),
      change('a', 'queued', 'running'),
      change('a', 'running', 'succeeded', { attempt: 2, lease_ms: 20, at_ms: 10 }),
    ],
    rows: [row('a', 1)],
  });
  expect(report).toMatchObject({ tasks: 1, acknowledged: 1, kills: 1, reruns: 1 });
  expect(isClean(report)).toBe(true);
});

it('case 10 what was acknowledged and is not there is lost', () => {
  const report = judge({ ledger: [told('acknowledged', 'a', 1, 1)] });
  expect(report.lost).toEqual(['a was acknowledged and is gone']);
  expect(isClean(report)).toBe(false);
});

it.each([
  ['an end that never came', { status: 'running', result: null }],
  ['a result of another task', { result: expected({ n: 2 }) }],
])('case 10 %s is lost', (_title, fields) => {
  expect(judge({ rows: [row('a', 1, fields)] }).lost).toHaveLength(1);
});

it('case 10 a settlement that was told and is not in the row is lost', () => {
  const ledger = [told('settled', 'a', 1, 1)];
  expect(judge({ ledger, rows: [row('a', 1, { status: 'queued' })] }).lost).toContain(
    'a was told settled and is not',
  );
});

it('case 10 two ends, an end undone and a run after the end are double', () => {
  const ends = [change('a', 'running', 'succeeded'), change('a', 'running', 'failed')];
  expect(judge({ audit: ends }).doubleSettled).toEqual(['a ended 2 times']);
  const undone = [change('a', 'succeeded', 'queued')];
  expect(judge({ audit: undone }).doubleSettled).toEqual(['a left a terminal state']);
  const ledger = [told('settled', 'a', 1, 1), told('start', 'a', 2, 2, { attempt: 2 })];
  expect(judge({ ledger }).doubleSettled).toEqual([
    'a attempt 2 started after the task was told settled',
  ]);
});

it('case 10 an attempt that begins after its own lease has ended is late, not double', () => {
  const ledger = [
    told('settled', 'a', 1, 5, { attempt: 2 }),
    told('start', 'a', 2, 6, { attempt: 1 }),
  ];
  const audit = [change('a', 'running', 'queued', { lease_ms: 3, at_ms: 3 })];
  expect(judge({ ledger, audit })).toMatchObject({ lateStarts: 1, doubleSettled: [] });
});

it('case 10 two runs at once overlap, unless the first lease had ended or its process had', () => {
  const runs = [
    told('start', 'a', 1, 1),
    told('start', 'a', 2, 5, { attempt: 2 }),
    told('end', 'a', 1, 9),
  ];
  const stolen = [change('a', 'running', 'queued', { lease_ms: 100, at_ms: 4 })];
  expect(judge({ ledger: runs, audit: stolen }).overlapping).toEqual([
    'a attempt 2 of 2 began while 1 held attempt 1',
  ]);
  const expired = [change('a', 'running', 'queued', { lease_ms: 3, at_ms: 4 })];
  expect(judge({ ledger: runs, audit: expired }).overlapping).toEqual([]);
  const dead = [runs[0], { event: 'killed', pid: 1, at: 3 }, runs[1]];
  expect(judge({ ledger: dead, audit: stolen }).overlapping).toEqual([]);
});

it('case 10 a key that points at two tasks is told', () => {
  const keyed = { payload: { n: 2, keyed: true }, result: expected({ n: 2 }) };
  expect(judge({ rows: [row('a', 2, keyed), row('b', 2, keyed)] }).twins).toHaveLength(1);
});
