/**
 * The work itself: what nobody takes, what comes back again and again, what never ends.
 *
 * @typedef {import('./finding.js').Finding} Finding
 * @typedef {import('./finding.js').Seen} Seen
 */
import { clean, count, plural, span } from '../format.js';
import { problem, warning } from './finding.js';
import { bornAtMs } from './worker-id.js';

/** A worker that lives looks for work, and for leases that ended, far more often than this. */
const PATIENCE_MS = 60_000;
const RECOVERY_MS = 10_000;
const CANCEL_PATIENCE_MS = 60_000;

/** Names and tasks that one finding lists. */
const LISTED = 10;

/** @param {Seen} seen */
export function workFindings(seen) {
  return [
    ...expiredLeases(seen),
    ...unclaimedNames(seen),
    ...poison(seen),
    ...outOfAttempts(seen),
    ...growingBacklog(seen),
    ...stalled(seen),
    ...unheardCancels(seen),
  ];
}

/** @param {string[]} items */
function list(items) {
  const more = items.length - LISTED;
  return items.slice(0, LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** @param {Seen['first']} look */
function running({ workers }) {
  return workers.workers.flatMap(({ workerId, tasks }) =>
    tasks.map((/** @type {any} */ task) => ({ ...task, workerId })),
  );
}

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function expiredLeases({ first, second }) {
  const before = new Map(running(first).map((task) => [task.id, task.leaseUntilMs]));
  const { nowMs } = second.workers;
  const expired = running(second).filter(
    ({ id, leaseUntilMs }) => leaseUntilMs < nowMs - RECOVERY_MS && before.get(id) === leaseUntilMs,
  );
  if (expired.length === 0) return [];
  const oldest = Math.min(...expired.map(({ leaseUntilMs }) => leaseUntilMs));
  return [
    problem({
      id: 'expired-leases',
      title: `${plural(expired.length, 'running task')} with a lease that ended, and nobody recovers them`,
      explanation: `The oldest lease ended ${span(nowMs - oldest)} ago. Any worker, of whatever queue, takes such tasks back within its poll interval; so no worker seems to be running on this database at all. The processes that held them are gone or blocked.`,
      remedy: 'Start a worker. Look into the logs of the old ones for why they ended.',
      facts: {
        tasks: expired.slice(0, LISTED).map(({ id, name, workerId }) => ({ id, name, workerId })),
      },
    }),
  ];
}

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function unclaimedNames({ names, second }) {
  const { nowMs } = second.overview;
  const idle = names.filter(
    ({ running, succeeded, failed, canceled, oldestDueMs, capped }) =>
      oldestDueMs !== null &&
      nowMs - oldestDueMs > PATIENCE_MS &&
      running + succeeded + failed + canceled === 0 &&
      !capped.includes('succeeded'),
  );
  if (idle.length === 0) return [];
  const anybody = second.workers.workers.length > 0;
  return [
    problem({
      id: 'unclaimed',
      title: `${plural(idle.length, 'name')} with due tasks that no worker seems to claim`,
      explanation: `${list(
        idle.map(
          ({ name, queue, queued, oldestDueMs, capped }) =>
            `${clean(name)} in ${clean(queue)} (${count(queued, capped.includes('queued'))}, due for ${span(nowMs - oldestDueMs)})`,
        ),
      )}. No task of these names runs or has ended within the hour. ${
        anybody
          ? 'Other tasks are running, so workers are there, but perhaps not for these names and queues, or they are busy with higher priorities.'
          : 'No task at all is running: perhaps there is no worker.'
      }`,
      remedy:
        'See that a worker registers the name (worker.task) and has the queue among its queues, spelled exactly so; or cancel the tasks.',
      facts: { names: idle.map(({ name, queue, queued }) => ({ name, queue, queued })) },
    }),
  ];
}

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function poison({ silent, second }) {
  const suspects = [
    ...running(second)
      .filter(({ silentAttempts }) => silentAttempts)
      .map(({ id, name, queue, attempt }) => ({ id, name, queue, attempts: attempt - 1 })),
    ...silent.map(({ id, name, queue, attempt }) => ({ id, name, queue, attempts: attempt })),
  ];
  if (suspects.length === 0) return [];
  const again = suspects.filter(({ attempts }) => attempts > 1).length;
  return [
    warning({
      id: 'poison',
      title: `${plural(suspects.length, 'task')} came back because a lease ended`,
      explanation: `${list(suspects.map(({ id, name, attempts }) => `${id} ${clean(name)} (${plural(attempts, 'attempt')} lost)`))}. ${
        again > 0 ? `${again} of them more than once. ` : ''
      }An attempt that fails leaves an error; these left none: their worker was killed, ran out of memory, or could not renew its lease. A task that does this to every worker is poison.`,
      remedy:
        'cairnq show TARGET ID for the payload; look for crashes and out-of-memory kills at those times. Cancel what is poison; give heavy tasks a process of their own.',
      facts: { tasks: suspects.slice(0, LISTED) },
    }),
  ];
}

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function outOfAttempts({ leaseFailures, limits, second }) {
  if (leaseFailures.length === 0) return [];
  const all = leaseFailures.reduce((sum, { counted }) => sum + counted, 0);
  return [
    problem({
      id: 'lease-failures',
      title: `${plural(all, 'task')} failed in the last ${span(limits.sinceMs)} because the lease of the last attempt ended`,
      explanation: `${list(
        leaseFailures.map(
          ({ name, queue, counted, latest_ms, sample }) =>
            `${clean(name)} in ${clean(queue)} (${count(counted)}, last ${span(second.overview.nowMs - latest_ms)} ago, such as ${sample})`,
        ),
      )}. No handler reported an error: each time the worker died or lost its lease.`,
      remedy:
        'Find what kills the workers (memory, deploys without a grace period, a debugger). Then: cairnq ls TARGET --status failed --ids | cairnq retry TARGET - --reset-attempt',
      facts: { names: leaseFailures },
    }),
  ];
}

/** Below this many due tasks growth means nothing. */
const SOME = 20;

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function growingBacklog({ first, second, activity }) {
  const before = new Map(first.overview.queues.map((queue) => [queue.queue, queue]));
  const growing = second.overview.queues.filter(({ queue, counts, capped }) => {
    const then = before.get(queue);
    const known = !capped.includes('waiting');
    const grew = counts.waiting > (then?.counts.waiting ?? 0);
    return counts.waiting >= SOME && (grew || !known);
  });
  const { submitted, finished } = activity;
  const outpaced = submitted > finished * 1.1 + SOME;
  if (growing.length === 0 || !outpaced) return [];
  const apart = second.overview.nowMs - first.overview.nowMs;
  return [
    warning({
      id: 'backlog',
      title: 'the backlog grows faster than it drains',
      explanation: `In the last ${span(activity.windowMs)} ${count(submitted, activity.capped.includes('submitted'))} tasks were submitted and ${count(finished, activity.capped.includes('finished'))} ended. ${list(
        growing.map(
          ({ queue, counts, capped }) =>
            `${clean(queue)}: ${count(before.get(queue)?.counts.waiting ?? 0)} waiting, ${span(apart)} later ${count(counts.waiting, capped.includes('waiting'))}`,
        ),
      )}. Two looks a moment apart cannot tell a burst from a trend.`,
      remedy:
        'Look again later (cairnq top TARGET). If it lasts: more concurrency or workers, or maxQueueDepth on the producers.',
      facts: { submitted, finished, windowMs: activity.windowMs },
    }),
  ];
}

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function stalled({ first, second, limits }) {
  const { nowMs } = second.workers;
  const before = new Map(running(first).map((task) => [task.id, task]));
  const long = running(second).filter((task) => {
    const then = before.get(task.id);
    const began = Math.max(task.runAtMs, bornAtMs(task.workerId) ?? 0);
    return (
      then !== undefined &&
      then.attempt === task.attempt &&
      then.progress === task.progress &&
      then.message === task.message &&
      nowMs - began > limits.longMs &&
      task.leaseUntilMs > nowMs
    );
  });
  if (long.length === 0) return [];
  return [
    warning({
      id: 'stalled',
      title: `${plural(long.length, 'task')} may have been running for more than ${span(limits.longMs)} without a word`,
      explanation: `${list(
        long.map(
          ({ id, name, progress, runAtMs }) =>
            `${id} ${clean(name)} (due ${span(nowMs - runAtMs)} ago, progress ${progress ?? 'never reported'})`,
        ),
      )}. The lease is renewed, so the process lives; the row does not keep when the attempt began, so some of that time may have been spent waiting.`,
      remedy:
        'Let handlers report ctx.progress(); set maxRunMs so that a stuck attempt ends; cancel what should not run.',
      facts: {
        tasks: long.slice(0, LISTED).map(({ id, name, workerId }) => ({ id, name, workerId })),
      },
    }),
  ];
}

/**
 * @param {Seen} seen
 * @returns {Finding[]}
 */
function unheardCancels({ second }) {
  const { nowMs } = second.workers;
  const unheard = running(second).filter(
    ({ cancelRequestedAtMs }) =>
      cancelRequestedAtMs !== null && nowMs - cancelRequestedAtMs > CANCEL_PATIENCE_MS,
  );
  if (unheard.length === 0) return [];
  return [
    warning({
      id: 'cancel-unheard',
      title: `${plural(unheard.length, 'running task')} did not stop when asked to`,
      explanation: `${list(
        unheard.map(
          ({ id, name, cancelRequestedAtMs }) =>
            `${id} ${clean(name)} (asked ${span(nowMs - cancelRequestedAtMs)} ago)`,
        ),
      )}. They end as canceled once their handlers return.`,
      remedy: 'Let the handler look at ctx.canceled() between steps, or set maxRunMs.',
      facts: { tasks: unheard.slice(0, LISTED).map(({ id, name }) => ({ id, name })) },
    }),
  ];
}
