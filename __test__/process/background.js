/** background() on a database that cannot be opened; the process must live on and end by itself. */
import { Worker } from '@cairnq/native';
import { config, tell } from './lines.js';

const worker = Worker.sqlite(config.path);
worker.task('never', () => {});
await worker
  .background(() => new Promise((resolve) => setTimeout(resolve, 50)))
  .catch((error) => tell('rejected', { message: error.message }));
await new Promise((resolve) => setTimeout(resolve, 100));
tell('alive');
