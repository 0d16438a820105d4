/**
 * What the page can ask, answered from the inspector. Every query behind it is bounded.
 *
 * @typedef {import('@cairnq/native/inspect').LightTask} LightTask
 * @typedef {import('@cairnq/native/inspect').Inspector} Inspector
 * @typedef {import('../index.js').Redact} Redact
 */
import { Refusal } from './answers.js';
import { cached } from './cached.js';
import { BUCKET_MS, BUCKETS, History, ROWS_PER_SAMPLE } from './history.js';
import { listed, messageOf, shown } from './presentation.js';

/** Viewers within this time share one answer. */
const SHARED_MS = 1_000;
/** Rows of a page of the list. */
const PAGE = 50;
const PAGE_MAX = 200;
/** How long one request looks for tasks that pass the filters. */
const LOOKING_MS = 50;
const FILTERS = /** @type {const} */ ([
  'status',
  'queue',
  'name',
  'key',
  'rootId',
  'parentId',
  'correlationId',
]);

export class Questions {
  #inspector;
  #redact;
  #history = new History();

  /**
   * @param {() => Promise<Inspector>} inspector
   * @param {Redact | null} redact
   */
  constructor(inspector, redact) {
    this.#inspector = inspector;
    this.#redact = redact;
  }

  /** Reads how things stand and adds it to the history; also the beat of a dashboard that runs by itself. */
  sample = cached(async () => {
    const inspector = await this.#inspector();
    const overview = await inspector.overview();
    const sinceMs = this.#history.since(overview.nowMs);
    const finished = await inspector.finished({ sinceMs, limit: ROWS_PER_SAMPLE });
    this.#history.add(overview, finished);
    return overview;
  }, SHARED_MS);

  /** @param {URLSearchParams} params */
  async overview(params) {
    const overview = await this.sample();
    const queue = params.get('queue') || null;
    const series = this.#history.series({
      windowMs: windowOf(params),
      nowMs: overview.nowMs,
      queue,
    });
    return { ...overview, series };
  }

  #names = cached(async (key) => {
    const { queue, windowMs } = JSON.parse(key);
    const { nowMs } = await this.sample();
    const inspector = await this.#inspector();
    return await inspector.names({ queue: queue ?? undefined, sinceMs: nowMs - windowMs });
  }, SHARED_MS);

  /** @param {URLSearchParams} params */
  async names(params) {
    return await this.#names(
      JSON.stringify({ queue: params.get('queue') || null, windowMs: windowOf(params) }),
    );
  }

  /** @param {URLSearchParams} params */
  async tasks(params) {
    const limit = Number(params.get('limit') ?? PAGE);
    if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_MAX) {
      throw new Refusal(400, 'bad_limit', `limit must be an integer from 1 to ${PAGE_MAX}`);
    }
    const inspector = await this.#inspector();
    const { nowMs, tasks, next } = await inspector.page({
      ...filtersOf(params),
      before: params.get('before') || null,
      limit,
      lookForMs: LOOKING_MS,
    });
    return { nowMs, tasks: tasks.map((task) => listed(task, this.#redact)), next };
  }

  /** @param {string} id */
  async task(id) {
    const found = await (await this.#inspector()).task(id);
    if (!found)
      throw new Refusal(404, 'no_task', `there is no task ${id}; it may have been purged`);
    const { nowMs, task, keys, parent, root, children, childrenCapped } = found;
    const light = (/** @type {LightTask} */ relative) => listed(relative, this.#redact);
    return {
      nowMs,
      task: shown(task, this.#redact),
      keys,
      parent: parent && light(parent),
      root: root && light(root),
      children: children.map(light),
      childrenCapped,
    };
  }

  #workers = cached(async () => await (await this.#inspector()).workers(), SHARED_MS);

  async workers() {
    const answer = await this.#workers();
    const workers = answer.workers.map((worker) => ({
      ...worker,
      tasks: worker.tasks.map((task) => ({ ...task, message: messageOf(task, this.#redact) })),
    }));
    return { ...answer, workers };
  }
}

/** @param {URLSearchParams} params */
function filtersOf(params) {
  return Object.fromEntries(
    FILTERS.map((name) => [name, params.get(name)]).filter(([, value]) => value),
  );
}

/** @param {URLSearchParams} params */
function windowOf(params) {
  const windowMs = Number(params.get('windowMs') ?? 900_000);
  if (windowMs >= BUCKET_MS && windowMs <= BUCKET_MS * BUCKETS) return windowMs;
  throw new Refusal(400, 'bad_window', `windowMs must be ${BUCKET_MS} to ${BUCKET_MS * BUCKETS}`);
}
