import { OK, usage } from '../exit.js';
import { clean, plural, span } from '../format.js';
import { changing } from '../open.js';
import { durationMs } from '../values.js';

/** Rows one transaction deletes. */
const BATCH = 1_000;

/** @type {import('../options.js').Command} */
export const purge = {
  name: 'purge',
  summary: 'delete tasks that have ended',
  operands: 'TARGET',
  about: [
    'Deletes tasks that ended longer than --older-than ago, oldest first, and their keys with them, 1,000 in',
    'a transaction. Asks first, unless --yes.',
  ],
  options: {
    'older-than': {
      type: 'string',
      value: 'SPAN',
      help: 'ended longer than this ago (must be given)',
    },
    status: { type: 'string', value: 'STATUS', help: 'only succeeded, failed or canceled ones' },
    queue: { type: 'string', value: 'QUEUE', help: 'only this queue' },
    name: { type: 'string', value: 'NAME', help: 'only tasks of this name' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
  },
  examples: ['cairnq purge tasks.db --older-than 30d --status succeeded --yes'],
  async run(call) {
    const { values, terminal } = call;
    const { status, queue, name } = values;
    if (values['older-than'] === undefined)
      throw usage('--older-than SPAN must be given, such as 7d');
    const olderThanMs = durationMs(values['older-than'], '--older-than');
    return await changing(call, async (store) => {
      const which = [
        status,
        'tasks',
        name && `called ${clean(name)}`,
        queue && `in ${clean(queue)}`,
      ];
      const what = which.filter(Boolean).join(' ');
      await terminal.confirm(
        `Delete ${what} that ended more than ${span(olderThanMs)} ago?`,
        values.yes,
      );
      let deleted = 0;
      let batch;
      do {
        batch = await store.purge({ olderThanMs, limit: BATCH, status, queue, name });
        deleted += batch.length;
      } while (batch.length === BATCH);
      terminal.answer({ deleted }, () => terminal.line(`deleted ${plural(deleted, 'task')}`));
      return OK;
    });
  },
};
