import { startActor } from '../harness/actor.js';

export const name = 'processes';
export const title = 'Several worker processes on one queue, concurrency 64 each';
export const backends = ['sqlite', 'postgres'];
export const quick = [];

const counts = [1, 2, 4];

export async function run(bench, backend) {
  const tasks = 20_000;
  const contestants = {};
  for (const count of counts) {
    contestants[`ours in ${count}`] = () =>
      backend.with({ groups: [{ tasks }] }, (target) =>
        together(count, { store: backend.store(target), options: { concurrency: 64 } }, tasks),
      );
  }
  const medians = await bench.alternate(contestants);
  for (const count of counts) {
    bench.row({
      name: `drain by ${count} worker ${count === 1 ? 'process' : 'processes'}`,
      backend: backend.name,
      value: medians[`ours in ${count}`],
      unit: 'tasks/s',
      ...(count > 1 && { against: { name: 'one process', value: medians['ours in 1'] } }),
    });
  }
}

async function together(count, params, tasks) {
  const actors = Array.from({ length: count }, () => startActor('actors/share', params));
  await Promise.all(actors.map(({ ready }) => ready));
  const startedAt = performance.timeOrigin + performance.now();
  for (const actor of actors) actor.goOn();
  const answers = await Promise.all(actors.map(({ result }) => result));
  const handled = answers.reduce((sum, answer) => sum + answer.handled, 0);
  if (handled !== tasks) throw new Error(`${handled} handler calls for ${tasks} tasks`);
  const lastAt = Math.max(...answers.map((answer) => answer.lastAt));
  return (tasks / (lastAt - startedAt)) * 1000;
}
