import { act } from '../harness/actor.js';
import { percentile } from '../harness/statistics.js';

export const name = 'resource';
export const title = 'A freed resource to the start of the next task that needs it';
export const backends = ['sqlite', 'postgres'];
export const quick = [];

export async function run(bench, backend) {
  const { ours } = await bench.alternate({
    ours: async () => {
      const { waits } = await backend.with({}, (target) =>
        act('actors/resource', { store: backend.store(target), tasks: 200 }),
      );
      return { p50: percentile(waits, 50), p99: percentile(waits, 99) };
    },
  });
  for (const [rank, value] of Object.entries(ours)) {
    const row = { name: `freed resource to next start, ${rank}`, backend: backend.name };
    bench.row({ ...row, value, unit: 'ms' });
  }
}
