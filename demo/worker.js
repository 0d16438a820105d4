// The process that does the work. Any number of these may run on one database.

import { Worker } from '../index.js';
import * as handlers from './handlers.js';
import { places } from './places.js';
import * as tasks from './tasks.js';

const worker = Worker.sqlite(places.database, {
  concurrency: 16,
  resources: { disk: 2 },
  retryBackoffMs: 200,
  onError: (error, { phase }) => console.error(`worker (${phase}): ${error.message}`),
});

worker
  .task(tasks.indexFile, { batch: 32 }, handlers.indexFiles)
  .task(tasks.digestFile, { resource: 'disk' }, handlers.digestFile)
  .task(tasks.writeShard, { resource: 'disk' }, handlers.mergeOneShard)
  .task(tasks.buildIndex, handlers.buildIndex)
  .task(tasks.refreshFeed, handlers.refreshFeed)
  .task(tasks.importFile, handlers.importFile)
  .task(tasks.watchFolder, handlers.watchFolder);

// Asked to stop, or left alone by the process that started us: what is running is finished first.
process.once('message', () => worker.stop());
process.once('disconnect', () => worker.stop());

await worker.serve();
if (process.connected) {
  process.send(handlers.seen);
  process.disconnect();
}
