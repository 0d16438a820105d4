/**
 * Tasks as the page gets them: what the redaction hook let through, and never more text than a page can show.
 *
 * @typedef {import('@cairnq/native').Task} Task
 * @typedef {import('@cairnq/native/inspect').LightTask} LightTask
 * @typedef {import('../index.js').Redact} Redact
 * @typedef {import('../index.js').RedactedField} RedactedField
 */

/** Characters of one JSON column that are sent to the page. */
const JSON_SHOWN = 256 * 1024;
/** Characters of a message in a list. */
const MESSAGE_SHOWN = 300;

/**
 * A row of a list.
 *
 * @param {LightTask} task
 * @param {Redact | null} redact
 */
export function listed(task, redact) {
  const error = task.error ? /** @type {any} */ (redacted(task, 'error', redact)) : null;
  return {
    ...facts(task),
    message: messageOf(task, redact),
    error: error && { type: shortened(error.type ?? 'Error'), message: shortened(error.message) },
  };
}

/**
 * Everything about one task.
 *
 * @param {Task} task
 * @param {Redact | null} redact
 */
export function shown(task, redact) {
  const json = (/** @type {RedactedField} */ field) => jsonText(redacted(task, field, redact));
  return {
    ...facts(task),
    message: redacted(task, 'message', redact),
    payload: json('payload'),
    result: json('result'),
    error: task.error ? json('error') : null,
    errorSummary: errorSummary(redacted(task, 'error', redact)),
    metadata: json('metadata'),
  };
}

/**
 * What a task last said about itself, for a list.
 *
 * @param {Pick<Task, 'id' | 'name' | 'queue' | 'message'>} task
 * @param {Redact | null} redact
 */
export function messageOf(task, redact) {
  return shortened(redacted(task, 'message', redact));
}

/** @param {LightTask & Partial<Task>} task */
function facts(task) {
  const { payload, result, error, metadata, message, ...rest } = task;
  return rest;
}

/**
 * @param {Pick<Task, 'id' | 'name' | 'queue'> & Partial<Task>} task
 * @param {RedactedField} field
 * @param {Redact | null} redact
 * @returns {unknown}
 */
function redacted(task, field, redact) {
  const value = task[field];
  if (!redact || value === null || value === undefined) return value ?? null;
  try {
    return redact(value, { field, id: task.id, name: task.name, queue: task.queue }) ?? null;
  } catch {
    // A hook that fails must not show what it was to hide.
    return '[the redaction hook failed]';
  }
}

/** @param {unknown} value */
function errorSummary(value) {
  if (value === null) return null;
  if (typeof value !== 'object') return { type: 'Error', code: null, message: String(value) };
  const { type, code, message, retryable } = /** @type {Record<string, unknown>} */ (value);
  return {
    type: shortened(type ?? 'Error'),
    code: code === undefined ? null : shortened(code),
    message: cut(String(message ?? ''), JSON_SHOWN),
    retryable: retryable === true,
  };
}

/** @param {unknown} value */
function jsonText(value) {
  if (value === null || value === undefined) return null;
  const text = JSON.stringify(value, null, 2);
  return { text: cut(text, JSON_SHOWN), length: text.length };
}

/** @param {unknown} text */
function shortened(text) {
  return text === null || text === undefined ? null : cut(String(text), MESSAGE_SHOWN);
}

/**
 * @param {string} text
 * @param {number} length
 */
function cut(text, length) {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
