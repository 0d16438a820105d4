/** Required and imported in one process: one set of classes. */
const assert = require('node:assert/strict');
const required = require('@cairnq/native');

async function main() {
  const imported = await import('@cairnq/native');
  const names = Object.keys(required).filter((name) => name !== 'default');
  assert.ok(names.includes('Worker'));
  for (const name of names) assert.equal(required[name], imported[name], name);

  // A store made by one is taken by the other, and so is an error.
  const store = new required.SQLiteStore('both.db');
  const client = new imported.CairnQ(store);
  const { id } = await client.submit('x');
  assert.equal((await store.get(id)).status, 'queued');
  assert.ok(new required.TaskTimeout(id) instanceof imported.CairnQError);
  await client.close();
}

main();
