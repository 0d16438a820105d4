import { act } from '../harness/actor.js';
import { ceilingInsert, peer } from '../harness/contestants.js';
import { payloadOf } from '../harness/payloads.js';
import { targets } from '../harness/targets.js';

export const name = 'submit';
export const title = 'Submitting: one by one, 32 at a time, submitMany';
export const backends = ['sqlite', 'postgres'];
export const quick = ['sqlite'];

const peers = { sqlite: ['plainjob', 'liteque'], postgres: ['graphile-worker', 'pg-boss'] };
const payload = JSON.stringify(payloadOf(20));

const ways = [
  { how: 'oneByOne', title: 'submit, one by one', tasks: 6_000, group: 1 },
  { how: 'thirtyTwo', title: 'submit, 32 at a time', tasks: 19_200, group: 32 },
  { how: 'many', title: 'submitMany(10,000)', tasks: 10_000, group: 10_000 },
];

export async function run(bench, backend) {
  const contestants = {};
  for (const { how, tasks, group } of ways) {
    const ours = (fresh) => () =>
      backend.with({}, (target) =>
        act('actors/submit', { store: backend.store(target), how, tasks, fresh }),
      );
    contestants[`ours ${how}`] = ours(false);
    if (!bench.quick) contestants[`fresh ${how}`] = ours(true);
    contestants[`loop ${how}`] = () =>
      ceilingInsert(bench, backend, { tasks, batch: group, payload });
  }
  if (!bench.quick) {
    for (const one of peers[backend.name]) {
      contestants[one] = () => peer(backend, one, { work: 'submit', tasks: 1_000 });
    }
  }
  const medians = await bench.alternate(contestants);
  const goals = backend.name === 'sqlite' ? targets.submit : {};
  for (const { how, title: figure, group } of ways) {
    const compare = (against, value, target, { fresh = false } = {}) =>
      bench.row({
        name: fresh ? `${figure}, fresh process` : figure,
        backend: backend.name,
        value: medians[fresh ? `fresh ${how}` : `ours ${how}`],
        unit: 'tasks/s',
        against: { name: against, value },
        target,
      });
    const loop =
      group === 1
        ? 'Rust loop, one commit each'
        : `Rust loop, groups of ${group.toLocaleString('en-US')}`;
    compare(loop, medians[`loop ${how}`], goals[how]);
    if (!bench.quick) compare(loop, medians[`loop ${how}`], undefined, { fresh: true });
    for (const one of peers[backend.name]) compare(one, medians[one]?.[how]);
  }
}
