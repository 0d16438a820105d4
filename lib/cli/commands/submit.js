import { OK, usage } from '../exit.js';
import { clean } from '../format.js';
import { changing } from '../open.js';
import { durationMs, json, readAll, whole } from '../values.js';

/** @type {import('../options.js').Command} */
export const submit = {
  name: 'submit',
  summary: 'a new task',
  operands: 'TARGET NAME [PAYLOAD]',
  least: 2,
  most: 3,
  about: [
    'Submits a task and prints its id. PAYLOAD is JSON, {} when left out, and read from the standard input',
    'when it is "-".',
  ],
  options: {
    queue: { type: 'string', value: 'QUEUE', help: 'the queue (default)' },
    key: { type: 'string', value: 'KEY', help: 'at most one live task per key' },
    conflict: {
      type: 'string',
      value: 'HOW',
      help: 'for a taken key: reuse, reuse-succeeded, reject or replace (reuse)',
    },
    priority: { type: 'string', value: 'N', help: 'higher runs first (0)' },
    delay: { type: 'string', value: 'SPAN', help: 'due only after this long (0)' },
    'max-attempts': { type: 'string', value: 'N', help: 'attempts at most (3)' },
    metadata: { type: 'string', value: 'JSON', help: 'a JSON object kept beside the payload' },
    correlation: { type: 'string', value: 'ID', help: 'a correlation id' },
  },
  examples: [`cairnq submit tasks.db mail.send '{"to":"ada@example.org"}' --priority 5`],
  async run(call) {
    const { operands, values, terminal, environment } = call;
    const [name, given = '{}'] = operands;
    const text = given === '-' ? await readAll(environment.stdin) : given;
    const input = {
      name,
      payload: json(text, 'the payload'),
      queue: values.queue,
      key: values.key,
      conflict: values.conflict,
      correlationId: values.correlation,
      metadata: metadata(values.metadata),
      priority: optional(values.priority, (value) => whole(value, '--priority')),
      maxAttempts: optional(values['max-attempts'], (value) =>
        whole(value, '--max-attempts', { least: 1 }),
      ),
      runAtDelayMs: optional(values.delay, (value) => durationMs(value, '--delay')),
    };
    return await changing(call, async (store) => {
      const task = await store.submit(input);
      terminal.answer(task, () => terminal.line(clean(task.id)));
      return OK;
    });
  },
};

/**
 * @template T
 * @param {string | undefined} value
 * @param {(value: string) => T} read
 */
function optional(value, read) {
  return value === undefined ? undefined : read(value);
}

/** @param {string | undefined} text */
function metadata(text) {
  if (text === undefined) return undefined;
  const value = json(text, '--metadata');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw usage('--metadata must be a JSON object');
}
