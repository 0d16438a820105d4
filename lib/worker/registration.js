/**
 * What `worker.task(...)` was given, in its three forms, as one checked registration.
 *
 * @typedef {{
 *   name: string,
 *   handler: (...args: any[]) => unknown,
 *   batch: number | null,
 *   concurrency: number | null,
 *   resource: string | null,
 * }} Registration
 */
import { shown, wellFormed, wholeAtLeast } from '../arguments.js';
import { taskName } from '../task.js';

/**
 * @param {unknown[]} args
 * @param {Record<string, number>} resources those the worker declares
 * @returns {Registration}
 */
export function registration(args, resources) {
  const [first, second, third] = args;
  if (typeof first === 'function' && second === undefined)
    return registration([ownName(first), first], resources);
  const name = taskName(first);
  const [options, handler] = typeof second === 'function' ? [{}, second] : [second ?? {}, third];
  if (typeof handler !== 'function') {
    throw new Error(
      `worker.task(${JSON.stringify(name)}): expected a handler function, got ${shown(handler)}`,
    );
  }
  const { batch, concurrency, resource } = /** @type {Record<string, unknown>} */ (options);
  return {
    name,
    handler: /** @type {Registration['handler']} */ (handler),
    batch: wholeOrNull(batch, 'batch'),
    concurrency: wholeOrNull(concurrency, 'concurrency'),
    resource: declared(resource, name, resources),
  };
}

/** @param {Function} fn */
function ownName(fn) {
  const name = fn.name.replace(/^(bound )+/, '');
  if (name !== '') return name;
  throw new Error(
    'worker.task(fn): the handler is anonymous; pass a name explicitly, ' +
      "e.g. worker.task('summary.create', fn)",
  );
}

/**
 * @param {unknown} value
 * @param {string} what
 */
function wholeOrNull(value, what) {
  return value === undefined || value === null ? null : wholeAtLeast(value, what, 1);
}

/**
 * @param {unknown} resource
 * @param {string} task
 * @param {Record<string, number>} resources
 */
function declared(resource, task, resources) {
  if (resource === undefined || resource === null) return null;
  const name = wellFormed(resource, 'resource');
  if (Object.hasOwn(resources, name)) return name;
  const known = Object.keys(resources).sort();
  throw new Error(
    `task ${JSON.stringify(task)} declares resource ${JSON.stringify(name)}, which is not in ` +
      `WorkerOptions.resources; declared: ${known.length > 0 ? known.join(', ') : 'none'}`,
  );
}
