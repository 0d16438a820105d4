/** One task, there and back, without an await at the top, which a CommonJS bundle cannot have. */
import assert from 'node:assert/strict';
import { CairnQ, Worker } from '@cairnq/native';

async function main() {
  const worker = Worker.sqlite('bundled.db');
  worker.task('double', (_ctx, n) => n * 2);
  const client = CairnQ.sqlite('bundled.db');
  await worker.background(async () => assert.equal(await client.call('double', 21), 42));
  await client.close();
}

main();
