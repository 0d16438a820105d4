import { act } from '../harness/actor.js';
import { MessageCounter } from '../harness/message-counter.js';

export const name = 'round-trips';
export const title =
  'Round trips to the server while a worker drains no-op tasks, connecting included';
export const backends = ['postgres'];
export const quick = [];

const TASKS = { 1: 2_000, 8: 8_000, 64: 20_000, 256: 20_000 };

/** The rates are those through the proxy that counts; the drain scenario has the undisturbed ones. */
export async function run(bench, backend) {
  const contestants = {};
  for (const [concurrency, tasks] of Object.entries(TASKS)) {
    contestants[`ours at ${concurrency}`] = () =>
      backend.with({ groups: [{ tasks }] }, (target) =>
        drainCounted(backend, target, tasks, Number(concurrency)),
      );
  }
  const medians = await bench.alternate(contestants, { rounds: 1 });
  for (const concurrency of Object.keys(TASKS)) {
    const { roundTrips, statements } = medians[`ours at ${concurrency}`];
    const row = (what, value) =>
      bench.row({
        name: `${what} per task, concurrency ${concurrency}`,
        backend: backend.name,
        value,
        unit: what,
      });
    row('round trips', roundTrips);
    row('statements', statements);
  }
}

async function drainCounted(backend, target, tasks, concurrency) {
  const counter = await MessageCounter.before(target);
  try {
    const store = backend.store(counter.dsn);
    await act('actors/drain', { store, tasks, options: { concurrency } });
    return { roundTrips: counter.roundTrips / tasks, statements: counter.statements / tasks };
  } finally {
    await counter.close();
  }
}
