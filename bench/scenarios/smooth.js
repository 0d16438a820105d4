import { oursDrain } from '../harness/contestants.js';
import { targets } from '../harness/targets.js';

export const name = 'smooth';
export const title = 'The event loop and the JavaScript thread while draining at 256';
export const backends = ['sqlite', 'postgres'];
export const quick = ['sqlite'];

export async function run(bench, backend) {
  const tasks = 20_000;
  const params = { tasks, options: { concurrency: 256 }, watch: true, fresh: true };
  const { ours } = await bench.alternate({
    ours: () => oursDrain(backend, { groups: [{ tasks }] }, params),
  });
  const row = (figure, value, unit, target) =>
    bench.row({ name: figure, backend: backend.name, value, unit, target });
  row('worst gap of a 10 ms interval', ours.worstGapMs, 'ms', targets.worstGapWhileDraining);
  row('event-loop delay, p99', ours.delayP99Ms, 'ms');
  row('JavaScript-thread CPU per task', ours.cpuUs, 'us', targets.javascriptCpuPerTask);
}
