import { act } from '../harness/actor.js';
import { targets } from '../harness/targets.js';

export const name = 'purge';
export const title = 'A purge of 1,000 rows where 20,000 have keys';
export const backends = ['sqlite', 'postgres'];
export const quick = [];

export async function run(bench, backend) {
  const filling = { groups: [{ tasks: 20_000, keyed: true, finished: true }] };
  const { ours } = await bench.alternate({
    ours: () =>
      backend.with(filling, (target) => act('actors/purge', { store: backend.store(target) })),
  });
  bench.row({
    name: 'purge of 1,000 rows, 20,000 keys',
    backend: backend.name,
    value: ours,
    unit: 'ms',
    target: targets.purge,
  });
}
