import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDuration, mergeDurations, percentiles } from '../../dashboard/server/durations.js';
import { BUCKET_MS, BUCKETS, History } from '../../dashboard/server/history.js';

const START = 1_800_000_000_000;

describe('durations', () => {
  it('7.3 give percentiles within 5 % of the exact ones', () => {
    const some = fc.array(fc.integer({ min: 1, max: 10_000_000 }), {
      minLength: 1,
      maxLength: 400,
    });
    fc.assert(
      fc.property(some, fc.constantFrom(0.5, 0.95, 0.99), (values, share) => {
        const durations = new Map();
        for (const ms of values) addDuration(durations, ms);
        const sorted = [...values].sort((a, b) => a - b);
        const exact = sorted[Math.ceil(share * sorted.length) - 1];
        const [found] = percentiles(durations, [share]);
        // Half a millisecond of rounding comes on top.
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.05 + 0.5);
      }),
    );
  });

  it('7.3 of nothing are null, and merging is as if all had been counted in one place', () => {
    expect(percentiles(new Map(), [0.5])).toEqual([null]);
    const [left, right, both] = [new Map(), new Map(), new Map()];
    for (const ms of [5, 80, 900]) {
      addDuration(left, ms);
      addDuration(both, ms);
    }
    for (const ms of [7, 81, 40_000]) {
      addDuration(right, ms);
      addDuration(both, ms);
    }
    mergeDurations(left, right);
    expect(new Map([...left].sort())).toEqual(new Map([...both].sort()));
  });
});

describe('the history', () => {
  it('7.3 counts each end once, however the samples fall', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 40 });
    const ends = fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, ends, (gaps, offsets) => {
        const history = new History();
        const tasks = offsets.map((offset) => ended({ completedAtMs: START + offset }));
        let nowMs = START;
        for (const gap of [0, ...gaps]) {
          nowMs += gap;
          sample(history, nowMs, tasks);
        }
        const { totals } = history.series({ windowMs: BUCKETS * BUCKET_MS, nowMs, queue: null });
        const settled = tasks.filter((task) => task.completedAtMs <= nowMs - 1000);
        expect(totals.succeeded).toBe(settled.length);
      }),
    );
  });

  it('7.3 reaches back to before it began, by rate', () => {
    const history = new History();
    const tasks = everyMs(500, START - 60_000, START);
    sample(history, START, tasks);
    const { points, totals } = history.series({ windowMs: 300_000, nowMs: START, queue: null });
    expect(points).toHaveLength(30);
    expect(points.at(-3).succeeded).toBeCloseTo(2, 1);
    expect(points[0].succeeded).toBe(0);
    expect(totals.succeeded).toBeGreaterThan(115);
  });

  it('7.3 says nothing of the time that a cut answer does not reach', () => {
    const history = new History();
    const tasks = everyMs(10, START - 50_000, START);
    sample(history, START, tasks, 2_000);
    const { points, totals } = history.series({ windowMs: 300_000, nowMs: START, queue: null });
    // The newest 2,000 of 100 a second cover 20 seconds, less the one that settles.
    expect(totals.coveredMs).toBeGreaterThan(18_500);
    expect(totals.coveredMs).toBeLessThan(19_500);
    expect(points[0].succeeded).toBeNull();
    expect(points.at(-2).succeeded).toBeCloseTo(100, 0);
  });

  it('7.3 keeps queues apart and samples their depth', () => {
    const history = new History();
    const tasks = [
      ended({ queue: 'a', completedAtMs: START - 5_000 }),
      ended({ queue: 'b', completedAtMs: START - 5_000, status: 'failed' }),
    ];
    const queues = [
      { queue: 'a', counts: { queued: 3, delayed: 1, running: 2 } },
      { queue: 'b', counts: { queued: 4, delayed: 0, running: 0 } },
    ];
    sample(history, START, tasks, 10, queues);
    const of = (queue) => history.series({ windowMs: 60_000, nowMs: START, queue });
    expect(of('a').totals).toMatchObject({ succeeded: 1, failed: 0 });
    expect(of('b').totals).toMatchObject({ succeeded: 0, failed: 1 });
    expect(of(null).totals).toMatchObject({ succeeded: 1, failed: 1 });
    expect(of('a').points.at(-1)).toMatchObject({
      queued: 3,
      delayed: 1,
      running: 2,
    });
    expect(of(null).points.at(-1)).toMatchObject({ queued: 7, delayed: 1, running: 2 });
    expect(of(null).points[0]).toMatchObject({ queued: null, running: null });
  });

  it('7.3 does not grow past an hour nor past a hundred queues', () => {
    const history = new History();
    for (let n = 0; n < 3; n++) {
      const nowMs = START + n * BUCKETS * BUCKET_MS;
      const tasks = Array.from({ length: 400 }, (_, i) =>
        ended({ queue: `queue-${i}`, completedAtMs: nowMs - 2_000 }),
      );
      sample(history, nowMs, tasks);
      const { totals } = history.series({ windowMs: BUCKETS * BUCKET_MS, nowMs, queue: null });
      expect(totals.succeeded).toBe(400);
      const own = Array.from({ length: 400 }, (_, i) => `queue-${i}`).filter(
        (queue) => history.series({ windowMs: 60_000, nowMs, queue }).totals.succeeded > 0,
      );
      expect(own.length).toBeLessThanOrEqual(100);
    }
  });
});

/** As the inspector answers: those that ended after `since`, newest first, no more than `limit`. */
function sample(history, nowMs, tasks, limit = 10_000, queues = []) {
  const since = history.since(nowMs);
  const found = tasks
    .filter((task) => task.completedAtMs >= since && task.completedAtMs <= nowMs)
    .sort((a, b) => b.completedAtMs - a.completedAtMs);
  const rows = found.slice(0, limit);
  history.add({ nowMs, queues }, { rows, capped: found.length > limit });
}

function ended(given) {
  const completedAtMs = given.completedAtMs;
  return { queue: 'default', status: 'succeeded', runAtMs: completedAtMs - 100, ...given };
}

function everyMs(stepMs, fromMs, untilMs) {
  const tasks = [];
  for (let at = fromMs; at < untilMs; at += stepMs) tasks.push(ended({ completedAtMs: at }));
  return tasks;
}
