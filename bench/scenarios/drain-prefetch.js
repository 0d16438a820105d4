import { ceilingDrain, oursDrain } from '../harness/contestants.js';
import { targets } from '../harness/targets.js';

export const name = 'prefetch';
export const title = 'Drain with prefetch: 0, nothing claimed before it can start';
export const backends = ['sqlite', 'postgres'];
export const quick = ['sqlite'];

/** By concurrency. With one at a time every task waits for a commit of its own. */
const counts = {
  sqlite: { 64: 20_000, 1: 4_000 },
  postgres: { 64: 10_000, 1: 500 },
};
const quickCounts = { 64: 10_000, 1: 2_000 };
const loops = { 64: 'Rust loop, batches of 64', 1: 'Rust loop, one commit per task' };

export async function run(bench, backend) {
  const contestants = {};
  const chosen = bench.quick ? quickCounts : counts[backend.name];
  for (const [level, tasks] of Object.entries(chosen)) {
    const batch = Number(level);
    const filling = { groups: [{ tasks }] };
    const params = { tasks, options: { concurrency: batch, prefetch: 0 } };
    contestants[`loop of ${level}`] = () => ceilingDrain(bench, backend, filling, { tasks, batch });
    contestants[`ours at ${level}`] = async () =>
      (await oursDrain(backend, filling, params)).perSecond;
  }
  const medians = await bench.alternate(contestants);
  const goals = backend.name === 'sqlite' ? targets.drain.sqlite.withoutPrefetch : {};
  for (const level of [64, 1]) {
    bench.row({
      name: `drain without prefetch, concurrency ${level}`,
      backend: backend.name,
      value: medians[`ours at ${level}`],
      unit: 'tasks/s',
      against: { name: loops[level], value: medians[`loop of ${level}`] },
      target: goals[level],
    });
  }
}
