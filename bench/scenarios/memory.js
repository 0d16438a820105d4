import { act } from '../harness/actor.js';
import { targets } from '../harness/targets.js';

export const name = 'memory';
export const title = 'Resident memory while draining 1,000,000 tasks at concurrency 64';
export const backends = ['sqlite'];
export const quick = [];

export async function run(bench, backend) {
  const tasks = 1_000_000;
  const measure = (target) => act('actors/memory', { store: backend.store(target), tasks });
  const { ours } = await bench.alternate(
    { ours: () => backend.with({ groups: [{ tasks }] }, measure, { inPlace: true }) },
    { rounds: 1 },
  );
  const row = { backend: backend.name, unit: 'MB' };
  bench.row({
    ...row,
    name: 'most memory, 1,000,000 tasks',
    value: ours.mostMb,
    target: targets.memory.most,
  });
  bench.row({
    ...row,
    name: 'memory in the last quarter',
    value: ours.lastQuarterMb,
    against: { name: 'the second quarter', value: ours.secondQuarterMb },
    target: targets.memory.growth,
  });
}
