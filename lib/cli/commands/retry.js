import { changeEach, references } from './change.js';

/** @type {import('../options.js').Command} */
export const retry = {
  name: 'retry',
  summary: 'queue failed or canceled tasks again',
  operands: 'TARGET [ID...]',
  least: 1,
  most: Number.POSITIVE_INFINITY,
  about: [
    'Queues failed or canceled tasks again, due now. Attempts made so far count, unless --reset-attempt: a',
    'task that is out of attempts then runs once more. "-" reads ids from the standard input.',
  ],
  options: {
    key: { type: 'string', value: 'KEY', help: 'the task of this key instead of ids' },
    'reset-attempt': { type: 'boolean', help: 'begin at attempt 0 again' },
  },
  examples: [
    'cairnq retry tasks.db --key report-5 --reset-attempt',
    'cairnq ls tasks.db --status failed --ids | cairnq retry tasks.db -',
  ],
  async run(call) {
    const asked = await references(call);
    const options = { resetAttempt: call.values['reset-attempt'] === true };
    return await changeEach(
      call,
      asked,
      async (store, { id, key }) =>
        id === undefined
          ? await store.retryByKey(/** @type {string} */ (key), options)
          : await store.retry(id, options),
      {
        done: () => 'queued again',
        refused: 'not changed: no such task, or neither failed nor canceled',
      },
    );
  },
};
