import { plural } from '../format.js';
import { changeEach, references } from './change.js';

/** @type {import('../options.js').Command} */
export const cancel = {
  name: 'cancel',
  summary: 'end queued tasks, ask running ones to stop',
  operands: 'TARGET [ID...]',
  least: 1,
  most: Number.POSITIVE_INFINITY,
  about: [
    'A queued task ends at once. A running one is asked to stop, and ends as canceled whatever its handler',
    'then returns. "-" reads ids from the standard input. Asks first, unless --yes.',
  ],
  options: {
    key: { type: 'string', value: 'KEY', help: 'the task of this key instead of ids' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
  },
  examples: ['cairnq cancel tasks.db task_01J… --yes'],
  async run(call) {
    const asked = await references(call);
    if (asked.length > 0) {
      await call.terminal.confirm(`Cancel ${plural(asked.length, 'task')}?`, call.values.yes);
    }
    return await changeEach(
      call,
      asked,
      async (store, { id, key }) =>
        id === undefined
          ? await store.cancelByKey(/** @type {string} */ (key))
          : await store.cancel(id),
      {
        done: ({ status }) => (status === 'running' ? 'asked to stop' : 'canceled'),
        refused: 'not changed: no such task, or it has ended',
      },
    );
  },
};
