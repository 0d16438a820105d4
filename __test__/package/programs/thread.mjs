/** A worker inside a worker_thread serves a client outside, and both end by themselves. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker as Thread, threadId } from 'node:worker_threads';
import { CairnQ, Worker } from '@cairnq/native';

if (isMainThread) {
  const thread = new Thread(new URL(import.meta.url));
  const client = CairnQ.sqlite('thread.db');
  assert.equal(await client.call('where'), thread.threadId);
  thread.postMessage('stop');
  assert.deepEqual(await once(thread, 'exit'), [0]);
  await client.close();
} else {
  const worker = Worker.sqlite('thread.db');
  worker.task('where', () => threadId);
  parentPort.once('message', () => worker.stop());
  await worker.run();
}
