/**
 * What several waiters on one task, or on one key, have in common: the reads and the native wake.
 *
 * @typedef {import('../index.js').Task} Task
 * @typedef {import('./store.js').TaskStore} TaskStore
 * @typedef {{ deadline: number, read(task: Task | null): void, failed(error: unknown): void }} Waiter
 */
import { inBackground } from './bridge.js';
import { isReplaced } from './replaced.js';
import { call } from './request.js';

/**
 * Longest native wake registration. It cannot be taken back, so this bounds how long one that
 * nobody needs any more stays behind.
 */
const WAKE_MS = 5000;

/** How long reads alone have to do after a registration failed. */
const WAKE_RETRY_MS = 1000;

export class Watch {
  #store;
  #fetch;
  #fixedId;
  #dispose;
  /** @type {Set<Waiter>} */
  #waiters = new Set();
  /** The task whose end the pending wake tells. @type {string | null} */
  #armedFor = null;
  #unarmedUntil = 0;
  /** @type {Promise<void> | null} */
  #reading = null;
  /** @type {Promise<void> | null} */
  #nextRead = null;

  /**
   * @param {TaskStore} store
   * @param {() => Promise<Task | null>} fetch
   * @param {string | null} fixedId null when only a read tells which task it is
   * @param {() => void} dispose called when the last waiter has left
   */
  constructor(store, fetch, fixedId, dispose) {
    this.#store = store;
    this.#fetch = fetch;
    this.#fixedId = fixedId;
    this.#dispose = dispose;
  }

  /** @param {Waiter} waiter */
  join(waiter) {
    this.#waiters.add(waiter);
    // Before the read that follows, so that an end between the two is not missed.
    if (this.#fixedId !== null && waiter.deadline > performance.now()) this.#arm(this.#fixedId);
  }

  /** @param {Waiter} waiter */
  leave(waiter) {
    this.#waiters.delete(waiter);
    if (this.#waiters.size === 0) this.#dispose();
  }

  /**
   * Reads the task and tells every waiter. A read that began earlier does not count, but all who ask
   * while one is under way share the next. Never rejects: a failed read is told to the waiters.
   *
   * @returns {Promise<void>}
   */
  read() {
    if (this.#nextRead !== null) return this.#nextRead;
    if (this.#reading === null) return this.#beginRead();
    this.#nextRead = this.#reading.then(() => this.#beginRead());
    return this.#nextRead;
  }

  #beginRead() {
    this.#nextRead = null;
    const reading = this.#readOnce().finally(() => {
      this.#reading = null;
    });
    this.#reading = reading;
    return reading;
  }

  async #readOnce() {
    // Those who join while the read is under way asked after it began.
    const waiters = [...this.#waiters];
    try {
      const task = await this.#fetch();
      for (const waiter of waiters) if (this.#waiters.has(waiter)) waiter.read(task);
      const id = this.#fixedId ?? task?.id ?? null;
      // The end may have come between that read and the registration.
      if (id !== null && this.#isAwaited() && this.#arm(id)) void this.read();
    } catch (error) {
      for (const waiter of waiters) if (this.#waiters.has(waiter)) waiter.failed(error);
    }
  }

  /** Whether anyone still has time to wait. */
  #isAwaited() {
    const now = performance.now();
    return [...this.#waiters].some(({ deadline }) => deadline > now);
  }

  /**
   * @param {string} id
   * @returns {boolean} whether this registered a wake
   */
  #arm(id) {
    if (this.#armedFor === id || performance.now() < this.#unarmedUntil) return false;
    this.#armedFor = id;
    void this.#follow(id);
    return true;
  }

  /** @param {string} id */
  async #follow(id) {
    let end;
    try {
      end = await inBackground(() => this.#endOf(id));
    } catch {
      // The store is closing or away: the waiters' own polls go on, and after a while arm again.
      this.#unarmedUntil = performance.now() + WAKE_RETRY_MS;
      if (this.#armedFor === id) this.#armedFor = null;
      return;
    }
    if (this.#armedFor !== id) return;
    this.#armedFor = null;
    if (!this.#isAwaited()) return;
    if (!end.woken) this.#arm(id);
    if (end.task === null) void this.read();
    else for (const waiter of [...this.#waiters]) waiter.read(end.task);
  }

  /**
   * Waits for the task's end, and has the native side read the row at once unless reading is somebody
   * else's: a replaced method's, or a key's, which may lead to another task by then.
   *
   * @param {string} id
   * @returns {Promise<{ woken: boolean, task: Task | null }>}
   */
  async #endOf(id) {
    const store = this.#store;
    if (this.#fixedId === null || isReplaced(store, 'get') || isReplaced(store, 'taskDoneWake')) {
      return { woken: await store.taskDoneWake(id, WAKE_MS), task: null };
    }
    /** @type {Task | null} */
    const task = await call(store, 'taskEnd', { id, ms: WAKE_MS });
    return { woken: task !== null, task };
  }
}

/** @type {WeakMap<TaskStore, { tasks: Map<string, Watch>, keys: Map<string, Watch> }>} */
const watches = new WeakMap();

/** @param {TaskStore} store */
function watchesOf(store) {
  let of = watches.get(store);
  if (of === undefined) {
    of = { tasks: new Map(), keys: new Map() };
    watches.set(store, of);
  }
  return of;
}

/**
 * @param {TaskStore} store
 * @param {string} id
 */
export function watchTask(store, id) {
  const { tasks } = watchesOf(store);
  return shared(tasks, id, (dispose) => new Watch(store, () => store.get(id), id, dispose));
}

/**
 * @param {TaskStore} store
 * @param {string} key
 */
export function watchKey(store, key) {
  const { keys } = watchesOf(store);
  return shared(keys, key, (dispose) => new Watch(store, () => store.getByKey(key), null, dispose));
}

/**
 * @param {Map<string, Watch>} map
 * @param {string} subject
 * @param {(dispose: () => void) => Watch} make
 */
function shared(map, subject, make) {
  let watch = map.get(subject);
  if (watch === undefined) {
    watch = make(() => map.delete(subject));
    map.set(subject, watch);
  }
  return watch;
}
