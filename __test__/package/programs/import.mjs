/** One task, there and back. */
import assert from 'node:assert/strict';
import { CairnQ, defineTask, TaskFailed, Worker } from '@cairnq/native';

const shout = defineTask('text.shout');
const worker = Worker.sqlite('import.db');
worker.task(shout, (_ctx, { text }) => text.toUpperCase());
worker.task('broken', () => {
  throw new RangeError('as it should');
});

const client = CairnQ.sqlite('import.db');
await worker.background(async () => {
  assert.equal(await client.call(shout, { text: 'hello' }), 'HELLO');
  const failure = client.call('broken', null, { maxAttempts: 1 });
  await assert.rejects(failure, (error) => error instanceof TaskFailed);
});
await client.close();
