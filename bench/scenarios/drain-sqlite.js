import { ceilingDrain, oursDrain, peer, python } from '../harness/contestants.js';
import { targets } from '../harness/targets.js';

const levels = [1, 8, 64, 256];

export async function drainOnSqlite(bench, backend) {
  const tasks = 20_000;
  const filling = { groups: [{ tasks }] };
  const contestants = {
    ceiling: () => ceilingDrain(bench, backend, filling, { tasks, batch: 256 }),
    plainjob: () =>
      peer(backend, 'plainjob', { work: 'drain', tasks: bench.quick ? 6_000 : tasks }),
  };
  for (const concurrency of levels) {
    contestants[`ours at ${concurrency}`] = async () =>
      (await oursDrain(backend, filling, { tasks, options: { concurrency } })).perSecond;
  }
  if (!bench.quick) {
    for (const concurrency of levels) {
      const params = { tasks, options: { concurrency }, fresh: true };
      contestants[`fresh at ${concurrency}`] = async () =>
        (await oursDrain(backend, filling, params)).perSecond;
    }
    // Fewer tasks: these take a second for what others do in a tenth.
    const slow = { tasks: 3_000, concurrency: 64 };
    contestants.liteque = () => peer(backend, 'liteque', { work: 'drain', ...slow });
    contestants['Python cairnq'] = async () => (await python(bench, backend, slow)).perSecond;
  }
  const medians = await bench.alternate(contestants);
  for (const concurrency of levels) rows(bench, concurrency, medians);
  if (bench.quick) return;
  for (const concurrency of levels) {
    bench.row({
      name: `drain, concurrency ${concurrency}, fresh process`,
      backend: 'sqlite',
      value: medians[`fresh at ${concurrency}`],
      unit: 'tasks/s',
      against: { name: 'Rust loop, batches of 256', value: medians.ceiling },
    });
  }
}

function rows(bench, concurrency, medians) {
  const compare = (name, value, target) =>
    bench.row({
      name: `drain, concurrency ${concurrency}`,
      backend: 'sqlite',
      value: medians[`ours at ${concurrency}`],
      unit: 'tasks/s',
      against: { name, value },
      target,
    });
  compare('Rust loop, batches of 256', medians.ceiling, targets.drain.sqlite.ceiling);
  compare('plainjob', medians.plainjob, targets.drain.sqlite.plainjob);
  if (concurrency !== 64) return;
  compare('liteque', medians.liteque);
  compare('Python cairnq', medians['Python cairnq']);
}
