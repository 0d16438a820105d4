/** One task, there and back, in a CommonJS program. */
const assert = require('node:assert/strict');
const { CairnQ, Worker } = require('@cairnq/native');

async function main() {
  const worker = Worker.sqlite('require.db');
  worker.task('double', (_ctx, n) => n * 2);
  const client = CairnQ.sqlite('require.db');
  await worker.background(async () => assert.equal(await client.call('double', 21), 42));
  await client.close();
}

main();
