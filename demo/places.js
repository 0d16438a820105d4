import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, which is also what the demo indexes unless it is given another folder. */
export const repository = fileURLToPath(new URL('..', import.meta.url));

const home = process.env.CAIRNQ_DEMO_HOME ?? path.join(repository, '.cache', 'demo');

/** Everything the demo leaves behind; a run begins by emptying it. */
export const places = {
  home,
  database: path.join(home, 'tasks.db'),
  /** What one batch found, a folder per shard. */
  segments: path.join(home, 'segments'),
  /** The finished index, a file per shard. */
  index: path.join(home, 'index'),
};
