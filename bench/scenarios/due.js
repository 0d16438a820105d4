import { act } from '../harness/actor.js';
import { percentile } from '../harness/statistics.js';
import { targets } from '../harness/targets.js';

export const name = 'due';
export const title = 'Start of a delayed task and of a retry, after it is due';
export const backends = ['sqlite', 'postgres'];
export const quick = [];

export async function run(bench, backend) {
  const tasks = 200;
  const { ours } = await bench.alternate({
    ours: async () => {
      const { delayed, retried } = await backend.with({}, (target) =>
        act('actors/due', { store: backend.store(target), tasks }),
      );
      return {
        delayedP50: percentile(delayed, 50),
        delayedP99: percentile(delayed, 99),
        retriedP50: percentile(retried, 50),
        retriedP99: percentile(retried, 99),
      };
    },
  });
  const row = (figure, value, target) =>
    bench.row({ name: figure, backend: backend.name, value, unit: 'ms', target });
  row('delayed task starts after due, p50', ours.delayedP50);
  row('delayed task starts after due, p99', ours.delayedP99, targets.startAfterDueP99);
  row('retry starts after due, p50', ours.retriedP50);
  row('retry starts after due, p99', ours.retriedP99, targets.startAfterDueP99);
}
