import { act, startActor } from '../harness/actor.js';
import { peer } from '../harness/contestants.js';
import { percentile } from '../harness/statistics.js';
import { targets } from '../harness/targets.js';

export const name = 'call';
export const title = 'call() from submit to result, worker idle before each, default options';
export const backends = ['sqlite', 'postgres'];
export const quick = ['sqlite', 'postgres'];

export async function run(bench, backend) {
  const calls = bench.quick ? 40 : 200;
  const contestants = {
    'ours in one process': () =>
      backend.with({}, (target) =>
        latency(act('actors/call', { store: backend.store(target), calls, worker: true })),
      ),
    'ours across two processes': () =>
      backend.with({}, (target) => acrossProcesses(backend.store(target), calls)),
  };
  if (backend.name === 'postgres') {
    contestants['graphile-worker'] = () =>
      latency(peer(backend, 'graphile-worker', { work: 'latency', calls }));
  }
  // Each is a median of many calls already.
  const rounds = bench.quick ? 1 : bench.rounds;
  const medians = await bench.alternate(contestants, { rounds });
  const goals = {
    'one process':
      backend.name === 'sqlite' ? targets.call.sqliteOneProcess : targets.call.postgres,
    'two processes':
      backend.name === 'sqlite' ? targets.call.sqliteTwoProcesses : targets.call.postgres,
  };
  rows(bench, backend, 'one process', medians['ours in one process'], goals['one process']);
  rows(
    bench,
    backend,
    'two processes',
    medians['ours across two processes'],
    goals['two processes'],
  );
  const graphile = medians['graphile-worker'];
  if (graphile === undefined) return;
  bench.row({
    name: 'call() in one process, p50',
    backend: backend.name,
    value: medians['ours in one process'].p50,
    unit: 'ms',
    against: { name: 'graphile-worker, addJob to start', value: graphile.p50 },
    target: targets.call.postgres.graphile,
  });
}

async function acrossProcesses(store, calls) {
  const worker = startActor('actors/echo', { store });
  await worker.ready;
  try {
    return await latency(act('actors/call', { store, calls, worker: false }));
  } finally {
    worker.goOn();
    await worker.result;
  }
}

async function latency(measuring) {
  const { times } = await measuring;
  return { p50: percentile(times, 50), p99: percentile(times, 99) };
}

function rows(bench, backend, where, { p50, p99 }, goal) {
  const figure = `call() in ${where}`;
  const row = { backend: backend.name, unit: 'ms' };
  bench.row({ ...row, name: `${figure}, p50`, value: p50, target: goal.p50 });
  bench.row({ ...row, name: `${figure}, p99`, value: p99, target: goal.p99 });
}
