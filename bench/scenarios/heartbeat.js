import { act } from '../harness/actor.js';

export const name = 'heartbeat';
export const title = 'One heartbeat of a worker that holds 10,000 leases';
export const backends = ['sqlite', 'postgres'];
export const quick = [];

export async function run(bench, backend) {
  const leases = 10_000;
  const { ours } = await bench.alternate({
    ours: () =>
      backend.with({ groups: [{ tasks: leases }] }, (target) =>
        act('actors/heartbeat', { store: backend.store(target), leases }),
      ),
  });
  const row = { backend: backend.name, unit: 'ms' };
  bench.row({ ...row, name: 'renewal of 10,000 leases', value: ours });
}
