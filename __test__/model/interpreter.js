/** Plays a program on the product and on the model, and compares answers and tables after every step. */
import { isTerminal, Model, Refusal } from './model.js';
import { checkInvariants, compareTables, readTables, same } from './table.js';

const THROWN = new Error('the plan gives up');

/**
 * @param {object} parts
 * @param {object[]} parts.stores several on one database; steps take turns between them
 * @param {(text: string, params?: unknown[]) => Promise<any[]>} parts.sql a connection outside the product
 * @param {boolean} parts.dueOrder whether the database is at level 8 or beyond
 * @param {object[]} program
 */
export async function playOnStores({ stores, sql, dueOrder }, program) {
  await sql('delete from cairnq_task_keys');
  await sql('delete from cairnq_tasks');
  const play = new Play(sql, dueOrder);
  for (const [number, step] of program.entries()) {
    try {
      await play.step(stores[number % stores.length], step);
    } catch (error) {
      throw new Error(`step ${number + 1}, ${step.op}: ${error.message}`, { cause: error });
    }
  }
}

class Play {
  #model = new Model();
  #sql;
  #old = 0;
  #lastMs = 0;

  constructor(sql, dueOrder) {
    this.#sql = sql;
    this.#model.dueOrder = dueOrder;
  }

  async step(store, { op, ...asked }) {
    const args = this.#resolved(asked);
    // Two steps never share a millisecond, so that "later" has one meaning.
    while (Date.now() <= this.#lastMs + 1);
    const began = Date.now();
    const answer = await outcome(() => PRODUCT[op]?.(store, args) ?? this.#tamper(op, args));
    const ended = Date.now();
    this.#lastMs = ended;
    const before = this.#copy();
    const expected = MODEL[op](this.#model, args, began, answer);
    if (expected instanceof Refusal || expected === THROWN) this.#restore(before);
    const tables = await readTables(this.#sql);
    compareTables(this.#model, tables, { began, ended });
    checkInvariants(tables, this.#model);
    compareAnswers(op, answer, expected, tables.rows);
  }

  #copy() {
    const { rows, keys, attemptsAllowed } = this.#model;
    return structuredClone({ rows, keys, attemptsAllowed });
  }

  #restore(copy) {
    Object.assign(this.#model, copy);
  }

  #resolved({ task, tasks, by, ...rest }) {
    const args = rest;
    if (task !== undefined) args.taskId = this.#pick(task);
    if (tasks !== undefined) args.taskIds = [...new Set(tasks.map((one) => this.#pick(one)))];
    if (by === 'owner') args.workerId = this.#model.rows.get(args.taskId)?.worker_id ?? 'worker_1';
    else if (by !== undefined) args.workerId = by;
    return args;
  }

  #pick({ of, n }) {
    const matching = {
      any: () => true,
      terminal: isTerminal,
      running: (row) => row.status === 'running',
      queued: (row) => row.status === 'queued',
    };
    const rows = [...this.#model.rows.values()];
    const found = rows.filter(matching[of]);
    const choice = found.length > 0 ? found : rows;
    return choice[n % choice.length]?.id ?? 'task_missing';
  }

  async #tamper(op, args) {
    this.#old += 1;
    args.at = this.#old;
    const [column, status] = {
      leaseEnds: ['lease_until_ms', ["'running'"]],
      becomesDue: ['run_at_ms', ["'queued'"]],
      growsOld: ['completed_at_ms', ["'succeeded'", "'failed'", "'canceled'"]],
    }[op];
    await this.#sql(
      `update cairnq_tasks set ${column} = ? where id = ? and status in (${status.join(', ')})`,
      [args.at, args.taskId],
    );
  }
}

async function outcome(work) {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

function compareAnswers(op, { value, error }, expected, rows) {
  if (expected === THROWN) {
    if (error !== THROWN) throw error ?? new Error('the plan threw, and the session did not');
    return;
  }
  if (expected instanceof Refusal) {
    if (error === undefined) throw new Error(`${expected.name} was due, not an answer`);
    same('error', error.name, expected.name);
    for (const [field, wanted] of Object.entries(expected.fields))
      same(field, error[field], wanted);
    return;
  }
  if (error !== undefined) throw error;
  if (Array.isArray(expected) && expected.every((row) => row?.id !== undefined)) {
    // A later submit of the same batch may have replaced what an earlier one wrote.
    if (op === 'submitMany') return same('ids', value.map(idOf), expected.map(idOf));
    same('ids', value.map(idOf), expected.map(idOf));
    for (const row of value) same(`answer ${row.id}`, row, rows.get(row.id));
  } else if (expected?.id !== undefined) {
    same('answer', value, rows.get(expected.id));
  } else {
    same('answer', value, expected);
  }
}

const idOf = (row) => row.id;

/** How a step is put to a store. */
const PRODUCT = {
  submit: (store, { input }) => store.submit(input),
  submitMany: (store, { inputs }) => store.submitMany(inputs),
  claim: (store, args) => store.claim(args),
  claimSession: (store, { draws, commit, ...args }) =>
    store.claimSession(args, async (draw) => {
      const drawn = [];
      for (const { names, limit } of draws) drawn.push(...(await draw(names, limit)));
      if (!commit) throw THROWN;
      return drawn;
    }),
  heartbeat: (store, args) => store.heartbeat(args),
  heartbeatBatch: (store, args) => store.heartbeatBatch(args),
  progress: (store, args) => store.progress(args),
  succeed: (store, args) => store.succeed(args),
  complete: (store, args) => store.complete(args),
  fail: (store, args) => store.fail(args),
  cancel: (store, { taskId }) => store.cancel(taskId),
  cancelByKey: (store, { key }) => store.cancelByKey(key),
  retry: (store, { taskId, resetAttempt }) => store.retry(taskId, { resetAttempt }),
  retryByKey: (store, { key, resetAttempt }) => store.retryByKey(key, { resetAttempt }),
  purge: (store, args) => store.purge({ olderThanMs: 60_000, ...args }),
  list: (store, args) => store.list(args),
  get: (store, { taskId, key }) => (key === null ? store.get(taskId) : store.getByKey(key)),
  stats: (store) => store.stats(),
  queueDepth: (store, { queue, maxDepth }) => store.queueDepth(queue, maxDepth),
};

/** What the model makes of it; `answer` names the rows the product has written. */
const MODEL = {
  submit: (model, { input }, _now, answer) => submitted(model, input, answer.value?.id),
  submitMany: (model, { inputs }, _now, answer) => {
    const rows = [];
    for (const [n, input] of inputs.entries()) {
      const row = submitted(model, input, answer.value?.[n]?.id ?? `unanswered ${n}`);
      if (row instanceof Refusal) return row;
      rows.push(row);
    }
    return rows;
  },
  claim: (model, args, now) => {
    model.recover(now);
    return model.claim(args, now);
  },
  claimSession: (model, { draws, commit, ...args }, now) => {
    if (!model.probe(args, now)) return undefined;
    model.recover(now);
    const drawn = draws.flatMap(({ names, limit }) => {
      const own = names.filter((name) => args.names.includes(name));
      return model.claim({ ...args, names: own, limit }, now);
    });
    return commit ? drawn : THROWN;
  },
  heartbeat: (model, args, now) => model.heartbeat(args, now),
  heartbeatBatch: (model, args, now) => model.heartbeatBatch(args, now),
  progress: (model, args, now) => model.progress(args, now),
  succeed: (model, args, now) => model.succeed(args, now),
  complete: (model, args, now) => model.complete(args, now),
  fail: (model, args, now) => model.fail(args, now),
  cancel: (model, { taskId }) => model.cancel(taskId),
  cancelByKey: (model, { key }) => model.cancel(model.keys.get(key)),
  retry: (model, { taskId, resetAttempt }) => model.retry(taskId, resetAttempt),
  retryByKey: (model, { key, resetAttempt }) => model.retry(model.keys.get(key), resetAttempt),
  purge: (model, args, now) => model.purge({ olderThanMs: 60_000, ...args }, now),
  list: (model, args) => model.list(args),
  get: (model, { taskId, key }) =>
    model.rows.get(key === null ? taskId : model.keys.get(key)) ?? null,
  stats: (model, _args, _now, answer) => {
    // Compared as lists: the product's object may lack a prototype.
    if (answer.value) answer.value = new Map(Object.entries(answer.value).map(counted));
    return model.stats();
  },
  queueDepth: (model, { queue, maxDepth }) => model.headroom(queue, maxDepth),
  leaseEnds: (model, { taskId, at }) => leap(model, taskId, 'lease_until_ms', 'running', at),
  becomesDue: (model, { taskId, at }) => leap(model, taskId, 'run_at_ms', 'queued', at),
  growsOld: (model, { taskId, at }) => leap(model, taskId, 'completed_at_ms', null, at),
};

const counted = ([queue, counts]) => [queue, { ...counts }];

function submitted(model, input, id) {
  const given = model.willGive(input);
  if (given === undefined && model.rows.has(id)) {
    throw new Error(`a new task was due, not ${id}`);
  }
  return model.submit(input, id);
}

function leap(model, id, column, status, at) {
  const row = model.rows.get(id);
  if (row && (status === null ? isTerminal(row) : row.status === status)) row[column] = at;
  return undefined;
}
