/**
 * The last hour in buckets. What ended, and how long it took, is read from the rows and so reaches back to before the
 * dashboard was started; how many wait and run is sampled, because rows tell only how they stand now.
 *
 * @typedef {import('@cairnq/native/inspect').FinishedTask} FinishedTask
 * @typedef {import('@cairnq/native/inspect').Overview} Overview
 * @typedef {import('./durations.js').Durations} Durations
 * @typedef {{ succeeded: number, failed: number, canceled: number, durations: Durations }} Ended
 * @typedef {{ queued: number, delayed: number, running: number }} Depth
 * @typedef {{ coveredMs: number, ended: Map<string, Ended>, depths: Map<string, Depth> | null }} Bucket
 */
import { addDuration, mergeDurations, percentiles } from './durations.js';

export const BUCKET_MS = 10_000;
/** Buckets kept: one hour. */
export const BUCKETS = 360;
/** Rows read for one sample. When more ended since the last one, the newest of them stand for all. */
export const ROWS_PER_SAMPLE = 2_500;
/** Queues counted apart; what further ones do is counted together. */
const MAX_QUEUES = 100;
/** Ends are counted this long after their time, so that their commit is visible by then. */
const SETTLED_MS = 1_000;

export class History {
  /** @type {Map<number, Bucket>} by the number of the bucket since 1970 */
  #buckets = new Map();
  #countedUntil = 0;
  #sampledSince = 0;

  /** From when on the next sample needs finished rows. @param {number} nowMs */
  since(nowMs) {
    return Math.max(this.#countedUntil, nowMs - BUCKET_MS * BUCKETS);
  }

  /**
   * @param {Overview} overview
   * @param {{ rows: FinishedTask[], capped: boolean }} finished those since `since()`, newest first, at most ROWS_PER_SAMPLE
   */
  add({ nowMs, queues }, { rows, capped }) {
    const from = this.since(nowMs);
    const until = nowMs - SETTLED_MS;
    this.#sampledSince ||= nowMs;
    this.#forget(nowMs);
    this.#bucket(nowMs).depths = new Map(queues.map(({ queue, counts }) => [queue, counts]));
    if (until <= from) return;

    // The oldest millisecond of a cut answer may itself be incomplete.
    const start = capped ? (rows.at(-1)?.completedAtMs ?? from) : from;
    for (const task of rows) {
      if (task.completedAtMs > start && task.completedAtMs <= until) this.#count(task);
    }
    this.#cover(start, until);
    this.#countedUntil = until;
  }

  /**
   * @param {{ windowMs: number, nowMs: number, queue: string | null }} asked
   */
  series({ windowMs, nowMs, queue }) {
    const last = Math.floor(nowMs / BUCKET_MS);
    const count = Math.min(Math.ceil(windowMs / BUCKET_MS), BUCKETS);
    const points = [];
    /** @type {Durations} */
    const all = new Map();
    const totals = { succeeded: 0, failed: 0, canceled: 0, coveredMs: 0 };
    for (let number = last - count + 1; number <= last; number++) {
      const bucket = this.#buckets.get(number);
      const ended = endedIn(bucket, queue);
      const seconds = (bucket?.coveredMs ?? 0) / 1000;
      mergeDurations(all, ended.durations);
      totals.succeeded += ended.succeeded;
      totals.failed += ended.failed;
      totals.canceled += ended.canceled;
      totals.coveredMs += bucket?.coveredMs ?? 0;
      points.push({
        atMs: number * BUCKET_MS,
        // A second or less says nothing about ten.
        ...(seconds >= 1 ? rates(ended, seconds) : NOTHING_KNOWN),
        ...depthsIn(bucket, queue),
      });
    }
    const [p50, p95, p99] = percentiles(all, [0.5, 0.95, 0.99]);
    return {
      bucketMs: BUCKET_MS,
      points,
      totals: { ...totals, p50, p95, p99 },
      sampledSinceMs: this.#sampledSince,
    };
  }

  /** @param {FinishedTask} task */
  #count(task) {
    const { ended } = this.#bucket(task.completedAtMs);
    const queue = ended.has(task.queue) || ended.size < MAX_QUEUES ? task.queue : '';
    const counts = ended.get(queue) ?? noneEnded();
    ended.set(queue, counts);
    counts[task.status] += 1;
    if (task.status === 'succeeded' || task.status === 'failed') {
      addDuration(counts.durations, task.completedAtMs - task.runAtMs);
    }
  }

  /**
   * @param {number} from
   * @param {number} until
   */
  #cover(from, until) {
    for (let at = from; at < until; ) {
      const end = Math.min(until, (Math.floor(at / BUCKET_MS) + 1) * BUCKET_MS);
      this.#bucket(at).coveredMs += end - at;
      at = end;
    }
  }

  /** @param {number} atMs */
  #bucket(atMs) {
    const number = Math.floor(atMs / BUCKET_MS);
    const bucket = this.#buckets.get(number) ?? { coveredMs: 0, ended: new Map(), depths: null };
    this.#buckets.set(number, bucket);
    return bucket;
  }

  /** @param {number} nowMs */
  #forget(nowMs) {
    const oldest = Math.floor(nowMs / BUCKET_MS) - BUCKETS;
    for (const number of this.#buckets.keys()) if (number < oldest) this.#buckets.delete(number);
  }
}

const NOTHING_KNOWN = {
  succeeded: null,
  failed: null,
  canceled: null,
  failureShare: null,
  p50: null,
  p95: null,
  p99: null,
};

/** @returns {Ended} */
function noneEnded() {
  return { succeeded: 0, failed: 0, canceled: 0, durations: new Map() };
}

/**
 * @param {Ended} ended
 * @param {number} seconds
 */
function rates({ succeeded, failed, canceled, durations }, seconds) {
  const [p50, p95, p99] = percentiles(durations, [0.5, 0.95, 0.99]);
  return {
    succeeded: succeeded / seconds,
    failed: failed / seconds,
    canceled: canceled / seconds,
    failureShare: succeeded + failed > 0 ? failed / (succeeded + failed) : null,
    p50,
    p95,
    p99,
  };
}

/**
 * @param {Bucket | undefined} bucket
 * @param {string | null} queue null adds up all of them
 */
function endedIn(bucket, queue) {
  const sum = noneEnded();
  for (const [name, ended] of bucket?.ended ?? []) {
    if (queue !== null && name !== queue) continue;
    sum.succeeded += ended.succeeded;
    sum.failed += ended.failed;
    sum.canceled += ended.canceled;
    mergeDurations(sum.durations, ended.durations);
  }
  return sum;
}

/**
 * @param {Bucket | undefined} bucket
 * @param {string | null} queue
 */
function depthsIn(bucket, queue) {
  if (!bucket?.depths) return { queued: null, delayed: null, running: null };
  const sum = { queued: 0, delayed: 0, running: 0 };
  for (const [name, depth] of bucket.depths) {
    if (queue !== null && name !== queue) continue;
    sum.queued += depth.queued;
    sum.delayed += depth.delayed;
    sum.running += depth.running;
  }
  return sum;
}
