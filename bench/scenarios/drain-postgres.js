import { ceilingDrain, oursDrain, peer, python } from '../harness/contestants.js';
import { targets } from '../harness/targets.js';

/** Enough for a second or two each: these differ by a factor of a hundred. */
const counts = {
  full: { fast: 20_000, boss: 20_000, unbatched: 4_000, one: 1_000, alone: 5_000 },
  quick: { fast: 8_000, boss: 4_000, unbatched: 800, one: 200, alone: 2_000 },
};

export async function drainOnPostgres(bench, backend) {
  const count = bench.quick ? counts.quick : counts.full;
  const levels = bench.quick ? [1, 64] : [1, 8, 64, 256];
  const contestants = { ...loopAndPeers(bench, backend, count) };
  for (const concurrency of levels) {
    const tasks = concurrency === 1 ? count.alone : count.fast;
    const params = { tasks, options: { concurrency } };
    contestants[`ours at ${concurrency}`] = async () =>
      (await oursDrain(backend, { groups: [{ tasks }] }, params)).perSecond;
  }
  const medians = await bench.alternate(contestants, { rounds: bench.quick ? 1 : bench.rounds });
  for (const concurrency of levels) rows(bench, concurrency, medians);
}

function loopAndPeers(bench, backend, count) {
  const tasks = count.fast;
  const graphile = (params) => peer(backend, 'graphile-worker', { work: 'drain', ...params });
  const boss = (batchSize) => () =>
    peer(backend, 'pg-boss', { work: 'drain', tasks: count.boss, batchSize, workers: 1 });
  const contestants = {
    ceiling: () => ceilingDrain(bench, backend, { groups: [{ tasks }] }, { tasks, batch: 256 }),
    'graphile-worker': () => graphile({ tasks: count.unbatched, concurrency: 24, batching: false }),
    'graphile-worker in batches': () => graphile({ tasks, concurrency: 24, batching: true }),
    'graphile-worker at 1': () => graphile({ tasks: count.one, concurrency: 1, batching: false }),
    'pg-boss in 1,000': boss(1_000),
  };
  if (bench.quick) return contestants;
  return {
    ...contestants,
    'pg-boss in 5,000': boss(5_000),
    'Python cairnq': async () =>
      (await python(bench, backend, { tasks: 3_000, concurrency: 64 })).perSecond,
  };
}

function rows(bench, concurrency, medians) {
  const compare = (name, value, target) =>
    bench.row({
      name: `drain, concurrency ${concurrency}`,
      backend: 'postgres',
      value: medians[`ours at ${concurrency}`],
      unit: 'tasks/s',
      against: { name, value },
      target,
    });
  const goal = targets.drain.postgres;
  if (concurrency === 1) {
    compare('graphile-worker at 1', medians['graphile-worker at 1'], goal.graphileOne);
    return;
  }
  compare('Rust loop, batches of 256', medians.ceiling, goal.ceiling);
  compare('graphile-worker, unbatched', medians['graphile-worker'], goal.graphileUnbatched);
  const fastest = 'graphile-worker, batching';
  compare(fastest, medians['graphile-worker in batches'], goal.graphileFastest);
  compare('pg-boss, batches of 1,000', medians['pg-boss in 1,000'], goal.pgBoss);
  compare('pg-boss, batches of 5,000', medians['pg-boss in 5,000']);
  if (concurrency === 64) compare('Python cairnq', medians['Python cairnq']);
}
