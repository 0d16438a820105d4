import { shown } from './arguments.js';

/**
 * A progress report, checked. NaN would cross as null and so silently mean "leave it as it was".
 *
 * @param {{ progress?: number | null, message?: string | null }} input
 */
export function progressArgs({ progress = null, message = null }) {
  if (progress !== null && !Number.isFinite(progress)) {
    throw new Error(`progress must be a finite number or null, got ${shown(progress)}`);
  }
  return { progress, message: messageText(message) };
}

/**
 * Text for people: what UTF-8 cannot hold is replaced rather than refused.
 *
 * @param {unknown} message
 */
export function messageText(message) {
  return message === undefined || message === null ? null : String(message).toWellFormed();
}
