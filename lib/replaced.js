/**
 * Store methods that were replaced on a store object: by a test double, by instrumentation, or by a
 * subclass. The steps they stand for go through the object; all others stay native.
 */
import { TaskStore } from './store.js';

// Taken at load, so that a method replaced on the prototype itself counts too.
const { claimSession, complete, fail, heartbeat, heartbeatBatch, progress } = TaskStore.prototype;
const { get, submit, taskDoneWake } = TaskStore.prototype;
const ORIGINAL = {
  ...{ claimSession, complete, fail, heartbeat, heartbeatBatch, progress },
  ...{ get, submit, taskDoneWake },
};

/** Bits that NativeWorker.replaced takes. */
const CLAIM_SESSION = 1;
const HEARTBEAT_BATCH = 2;

/**
 * @param {TaskStore} store
 * @param {keyof typeof ORIGINAL} method
 */
export function isReplaced(store, method) {
  return store[method] !== ORIGINAL[method];
}

/**
 * The steps that the native side must hand back to JavaScript.
 *
 * @param {TaskStore} store
 */
export function replacedSteps(store) {
  return (
    (isReplaced(store, 'claimSession') ? CLAIM_SESSION : 0) |
    (isReplaced(store, 'heartbeatBatch') ? HEARTBEAT_BATCH : 0)
  );
}
