/** A dispatcher between a native worker that the test plays and handlers. */
import { setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';
import { TaskStore } from '../../lib/store.js';
import { Dispatcher } from '../../lib/worker/dispatcher.js';
import { normalOptions } from '../../lib/worker/options.js';
import { registration } from '../../lib/worker/registration.js';

export const DONE = 'done';
const KINDS = [DONE, 'complete', 'fail retryable', 'fail final', 'settled', 'lost'];

/** Past the turn in which promises settle, and the one that hands down what became of them. */
export async function flushed() {
  await turn();
  await turn();
}

/** A native worker that hands out the calls a test queues, and keeps what comes down. */
class FakeNative {
  ready = [];
  settles = [];
  flags = new Map();
  /** Attempts that run out of their time before their handler begins. */
  gone = new Set();
  replaced = vi.fn();
  planEnd = vi.fn();

  take() {
    return this.ready.shift() ?? null;
  }

  settle(codes, text) {
    const lines = text.split('\n');
    const outcomes = [];
    for (let i = 0; i < codes.length; i += 2) {
      const kind = KINDS[codes[i]];
      const line = ['complete', 'fail retryable', 'fail final'].includes(kind)
        ? [lines.shift()]
        : [];
      outcomes.push([kind, codes[i + 1], ...line]);
    }
    this.settles.push(outcomes);
    return this.take();
  }

  holds(handle) {
    return !this.gone.has(handle);
  }

  state(handle) {
    return this.flags.get(handle) ?? 0;
  }
}

/** One delivery: `[callId, name, [[handle, payload], ...]]` each. */
export function delivery(...calls) {
  const payloads = [];
  const description = calls.map(([id, name, tasks]) => [
    id,
    name,
    tasks.map(([handle, payload = {}]) => {
      payloads.push(JSON.stringify(payload));
      return [handle, `task_${handle}`, 'default', 1, 3, null, null, null];
    }),
  ]);
  return [JSON.stringify(description), ...payloads];
}

export function dispatching(handlers, { store = Object.create(TaskStore.prototype) } = {}) {
  const native = new FakeNative();
  const registered = new Map();
  const register = (name, given) => {
    const args = [name, ...(Array.isArray(given) ? given : [given])];
    registered.set(name, registration(args, {}));
  };
  for (const [name, given] of Object.entries(handlers)) register(name, given);
  const reports = [];
  const report = (error, info) => reports.push([error, info]);
  const options = normalOptions('worker_1', ['default'], {});
  const dispatcher = new Dispatcher(native, store, options, registered, report);
  const deliver = (...calls) => {
    native.ready.push(delivery(...calls));
    dispatcher.handle({ e: 'ready' });
  };
  return { native, dispatcher, deliver, register, reports };
}
