import { ceilingDrain, oursDrain } from '../harness/contestants.js';
import { sizes } from '../harness/payloads.js';
import { targets } from '../harness/targets.js';

export const name = 'payload';
export const title = 'Drain with larger payloads, concurrency 64';
export const backends = ['sqlite', 'postgres'];
export const quick = [];

/** 20,000 tasks of 50 KB would be a gigabyte for each run. */
const counts = { '1 KB': 20_000, '50 KB': 1_000 };
const postgresCounts = { '1 KB': 10_000, '50 KB': 500 };

export async function run(bench, backend) {
  const chosen = backend.name === 'postgres' ? postgresCounts : counts;
  for (const [size, tasks] of Object.entries(chosen)) {
    const filling = { groups: [{ tasks, payloadBytes: sizes[size] }] };
    const medians = await bench.alternate({
      ceiling: () => ceilingDrain(bench, backend, filling, { tasks, batch: 256 }),
      ours: async () =>
        (await oursDrain(backend, filling, { tasks, options: { concurrency: 64 } })).perSecond,
    });
    bench.row({
      name: `drain, ${size} payloads`,
      backend: backend.name,
      value: medians.ours,
      unit: 'tasks/s',
      against: { name: `Rust loop, ${size}, batches of 256`, value: medians.ceiling },
      target: backend.name === 'sqlite' ? targets.drain.sqlite.payload : undefined,
    });
  }
}
