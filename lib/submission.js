/**
 * A submit, checked and encoded: from what callers pass to what the native side takes.
 *
 * @typedef {import('../index.js').SubmitInput} SubmitInput
 * @typedef {{
 *   name: string, queue: string, key: string | null, conflict: string, maxAttempts: number,
 *   priority: number, parentId: string | null, rootId: string | null,
 *   correlationId: string | null, runAtDelayMs: number,
 * }} SubmitArgs
 * @typedef {{ args: SubmitArgs, payload: string, metadata: string }} Submission
 */
import { isWhole, shown, wellFormed, wellFormedOrNull } from './arguments.js';
import { encodeObject } from './json.js';
import { taskName } from './task.js';

const CONFLICTS = ['reuse', 'reuse-succeeded', 'reject', 'replace'];

/** Strategies under which an existing task may be the answer, so that nothing is enqueued. */
const REUSING = ['reuse', 'reuse-succeeded', 'reject'];

/**
 * @param {SubmitInput} input
 * @returns {Submission}
 */
export function submission(input) {
  const payload = encodeObject(input.payload);
  const metadata = encodeObject(input.metadata);
  const conflict = input.conflict ?? 'reuse';
  if (!CONFLICTS.includes(conflict))
    throw new Error(`unknown conflict strategy: ${shown(conflict)}`);
  const maxAttempts = input.maxAttempts ?? 3;
  if (!isWhole(maxAttempts) || maxAttempts < 1) {
    throw new Error(`maxAttempts must be >= 1, got ${shown(maxAttempts)}`);
  }
  const runAtDelayMs = input.runAtDelayMs ?? 0;
  if (!isWhole(runAtDelayMs) || runAtDelayMs < 0) {
    throw new Error(`runAtDelayMs must be >= 0, got ${shown(runAtDelayMs)}`);
  }
  const priority = input.priority ?? 0;
  if (!Number.isSafeInteger(priority)) {
    throw new Error(`priority must be an integer, got ${shown(priority)}`);
  }
  const args = {
    name: taskName(input.name),
    queue: wellFormed(input.queue ?? 'default', 'queue'),
    key: wellFormedOrNull(input.key, 'key'),
    conflict,
    maxAttempts: Math.min(maxAttempts, Number.MAX_SAFE_INTEGER),
    priority,
    parentId: wellFormedOrNull(input.parentId, 'parentId'),
    rootId: wellFormedOrNull(input.rootId, 'rootId'),
    correlationId: wellFormedOrNull(input.correlationId, 'correlationId'),
    runAtDelayMs: Math.min(runAtDelayMs, Number.MAX_SAFE_INTEGER),
  };
  return { args, payload, metadata };
}

/** @param {SubmitArgs} args */
export function mayReuse({ key, conflict }) {
  return key !== null && REUSING.includes(conflict);
}
