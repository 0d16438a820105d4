/** The process that does the work: `node worker.js` beside `next start`, on the same database. */
import { Worker } from '@cairnq/native';
import { thumbnail } from './lib/queue.js';

const worker = Worker.sqlite(process.env.DATABASE ?? 'thumbnails.db', { concurrency: 2 });

worker.task(thumbnail, async (_ctx, { image, width }) => {
  // A real one would resize here, for example with sharp.
  return { file: `${image.replace(/\.\w+$/, '')}-${width}.webp` };
});

await worker.serve();
