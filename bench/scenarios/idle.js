import { startActor } from '../harness/actor.js';
import { MessageCounter } from '../harness/message-counter.js';
import { targets } from '../harness/targets.js';

export const name = 'idle';
export const title = 'A worker with nothing to do, default options';
export const backends = ['sqlite', 'postgres'];
export const quick = ['sqlite'];

export async function run(bench, backend) {
  const seconds = bench.quick ? 3 : 10;
  const rounds = bench.quick ? 1 : 3;
  const measure = backend.name === 'sqlite' ? cpu : cpuAndStatements;
  const { ours } = await bench.alternate(
    { ours: () => backend.with({}, (target) => measure(backend, target, seconds)) },
    { rounds },
  );
  const row = (figure, value, unit, target) =>
    bench.row({ name: figure, backend: backend.name, value, unit, target });
  const goal = backend.name === 'sqlite' ? targets.idle.sqliteCpu : undefined;
  row('idle worker, CPU of its process', ours.percent, '% of a core', goal);
  const { statements } = ours;
  row('idle worker, statements', statements, 'statements/s', targets.idle.postgresStatements);
}

async function cpu(backend, target, seconds) {
  return await startActor('actors/idle', { store: backend.store(target), seconds }).result;
}

async function cpuAndStatements(backend, target, seconds) {
  const counter = await MessageCounter.before(target);
  try {
    const idle = startActor('actors/idle', { store: backend.store(counter.dsn), seconds });
    await idle.ready;
    const before = counter.statements;
    const { percent } = await idle.result;
    return { percent, statements: (counter.statements - before) / seconds };
  } finally {
    await counter.close();
  }
}
