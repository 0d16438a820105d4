/**
 * What the ledgers, the audit and the final rows say together. Pure, so that every kind of fault can be shown to it.
 *
 * Ledger events: `acknowledged` {id, n} a submit was answered; `start` {id, attempt}; `end` {id, attempt} the handler
 * is about to return; `settled` {id, attempt} succeed() was answered; `killed` {pid}.
 */
const TERMINAL = ['succeeded', 'failed', 'canceled'];

/**
 * @param {{ ledger: any[], audit: any[], rows: any[], expected: (payload: any) => unknown }} evidence
 */
export function verdict({ ledger, audit, rows, expected }) {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const changes = grouped(audit, (change) => change.task_id);
  const acknowledged = new Set(
    ledger.filter(({ event }) => event === 'acknowledged').map(({ id }) => id),
  );
  const settled = firstBy(ledger.filter(({ event }) => event === 'settled'));
  const afterwards = ledger.filter(
    ({ event, id, at }) => event === 'start' && at > (settled.get(id)?.at ?? at),
  );
  // Claimed, then held up (a stopped process) for longer than its lease before the handler's first line.
  const late = afterwards.filter(({ id, attempt }) =>
    leaseHadEnded(changes.get(id) ?? [], attempt),
  );
  return {
    tasks: rows.length,
    acknowledged: acknowledged.size,
    kills: ledger.filter(({ event }) => event === 'killed').length,
    reruns: audit.filter(({ new_status, attempt }) => new_status === 'running' && attempt > 0)
      .length,
    claimedAsWritten: claimedAsWritten(ledger, changes),
    lost: lost(acknowledged, settled, byId, expected),
    lateStarts: late.length,
    doubleSettled: doubleSettled(
      changes,
      afterwards.filter((start) => !late.includes(start)),
    ),
    overlapping: overlapping(ledger, changes),
    twins: twins(rows),
  };
}

/** Tasks whose first attempt ran although no update claimed them: the insert did. */
function claimedAsWritten(ledger, changes) {
  const first = ledger.filter(({ event, attempt }) => event === 'start' && attempt === 1);
  const claimed = ({ new_status, attempt }) => new_status === 'running' && attempt === 0;
  const ids = first.map(({ id }) => id).filter((id) => !(changes.get(id) ?? []).some(claimed));
  return new Set(ids).size;
}

/** Whether there is nothing to be ashamed of. */
export function isClean({ lost, doubleSettled, overlapping, twins }) {
  return [lost, doubleSettled, overlapping, twins].every((faults) => faults.length === 0);
}

/** An acknowledged submit without a row, an end that never came, or an answer that the row does not show. */
function lost(acknowledged, settled, byId, expected) {
  const faults = [];
  for (const id of acknowledged) {
    if (!byId.has(id)) faults.push(`${id} was acknowledged and is gone`);
  }
  for (const [id, row] of byId) {
    if (row.status !== 'succeeded') faults.push(`${id} ended as ${row.status}`);
    else if (JSON.stringify(row.result) !== JSON.stringify(expected(row.payload))) {
      faults.push(`${id} has the result ${JSON.stringify(row.result)}`);
    }
  }
  for (const id of settled.keys()) {
    if (byId.get(id)?.status !== 'succeeded') faults.push(`${id} was told settled and is not`);
  }
  return faults;
}

/** Two ends of one task, or a run that began after its end was told. */
function doubleSettled(changes, afterwards) {
  const faults = [];
  for (const [id, list] of changes) {
    const ends = list.filter(({ new_status }) => TERMINAL.includes(new_status));
    if (ends.length > 1) faults.push(`${id} ended ${ends.length} times`);
    if (list.some(({ old_status }) => TERMINAL.includes(old_status))) {
      faults.push(`${id} left a terminal state`);
    }
  }
  for (const { id, attempt } of afterwards) {
    faults.push(`${id} attempt ${attempt} started after the task was told settled`);
  }
  return faults;
}

/** Runs of one task by two processes at one time, although no lease of the first had ended. */
export function overlapping(ledger, changes) {
  const killed = firstBy(
    ledger.filter(({ event }) => event === 'killed'),
    ({ pid }) => pid,
  );
  const ends = firstBy(
    ledger.filter(({ event }) => event === 'end'),
    ({ id, attempt, pid }) => `${id} ${attempt} ${pid}`,
  );
  const faults = [];
  const starts = ledger.filter(({ event }) => event === 'start');
  for (const [id, runs] of grouped(starts, (start) => start.id)) {
    for (const [n, first] of runs.entries()) {
      const over = Math.min(
        ends.get(`${id} ${first.attempt} ${first.pid}`)?.at ?? Number.POSITIVE_INFINITY,
        killed.get(first.pid)?.at ?? Number.POSITIVE_INFINITY,
      );
      for (const next of runs.slice(n + 1)) {
        if (next.at >= over || leaseHadEnded(changes.get(id) ?? [], first.attempt)) continue;
        faults.push(
          `${id} attempt ${next.attempt} of ${next.pid} began while ${first.pid} held attempt ${first.attempt}`,
        );
      }
    }
  }
  return faults;
}

/** Whether the attempt's row left `running` by its lease's end and not by its owner's word. */
function leaseHadEnded(changes, attempt) {
  return changes.some(
    (change) =>
      change.old_status === 'running' &&
      change.attempt === attempt &&
      change.lease_ms <= change.at_ms,
  );
}

/** Two tasks where a key promised one. */
function twins(rows) {
  const keyed = rows.filter(({ payload }) => payload.keyed);
  return [...grouped(keyed, ({ payload }) => payload.n)]
    .filter(([, same]) => same.length > 1)
    .map(([n, same]) => `${same.length} tasks under the key of ${n}`);
}

function grouped(list, name) {
  const groups = new Map();
  for (const one of list) {
    if (!groups.has(name(one))) groups.set(name(one), []);
    groups.get(name(one)).push(one);
  }
  return groups;
}

function firstBy(events, name = ({ id }) => id) {
  const first = new Map();
  for (const event of events) if (!first.has(name(event))) first.set(name(event), event);
  return first;
}
