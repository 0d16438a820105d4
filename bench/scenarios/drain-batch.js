import { ceilingDrain, oursDrain } from '../harness/contestants.js';

export const name = 'batch';
export const title = 'Drain by a batch handler of 64';
export const backends = ['sqlite', 'postgres'];
export const quick = [];

export async function run(bench, backend) {
  const tasks = 20_000;
  const filling = { groups: [{ tasks }] };
  const levels = [1, 8, 64, 256];
  const contestants = {
    ceiling: () => ceilingDrain(bench, backend, filling, { tasks, batch: 256 }),
  };
  for (const concurrency of levels) {
    const params = { tasks, batch: 64, options: { concurrency } };
    contestants[`ours at ${concurrency}`] = async () =>
      (await oursDrain(backend, filling, params)).perSecond;
  }
  const medians = await bench.alternate(contestants);
  for (const concurrency of levels) {
    bench.row({
      name: `drain, batch: 64, concurrency ${concurrency}`,
      backend: backend.name,
      value: medians[`ours at ${concurrency}`],
      unit: 'tasks/s',
      against: { name: 'Rust loop, batches of 256', value: medians.ceiling },
    });
  }
}
