import { act } from '../harness/actor.js';
import { median } from '../harness/statistics.js';
import { targets } from '../harness/targets.js';

export const name = 'claim';
export const title = 'A claim of one task from a backlog';
export const backends = ['sqlite', 'postgres'];
export const quick = [];

const TIMES = 60;
/** Larger ones are claimed from in place: sixty rows more or less are not seen in them. */
const COPIED = 100_000;

const one = ['default'];
const three = ['first', 'second', 'third'];
const hour = 3_600_000;

export async function run(bench, backend) {
  const backlogs = { ...smallBacklogs(), ...largeBacklogs() };
  const contestants = {};
  for (const [title, { queues, groups }] of Object.entries(backlogs)) {
    const size = groups.reduce((sum, { tasks }) => sum + tasks, 0);
    contestants[`ours, ${title}`] = async () => {
      const params = { queues, times: TIMES };
      const { took } = await backend.with(
        { groups },
        (target) => act('actors/claim', { store: backend.store(target), ...params }),
        { inPlace: size > COPIED },
      );
      return median(took);
    };
  }
  const medians = await bench.alternate(contestants);
  for (const title of Object.keys(backlogs)) row(bench, backend, title, medians);
}

function smallBacklogs() {
  return {
    100: { queues: one, groups: [{ tasks: 100 }] },
    '20,000': { queues: one, groups: [{ tasks: 20_000 }] },
    '20,000 in three queues': { queues: three, groups: split(20_000) },
  };
}

function largeBacklogs() {
  return {
    '100 in three queues': { queues: three, groups: split(100) },
    '1,000,000': { queues: one, groups: [{ tasks: 1_000_000 }] },
    '1,000,000 in three queues': { queues: three, groups: split(1_000_000) },
    '100 beside 20,000 backing off': {
      queues: one,
      groups: [{ tasks: 20_000, delayMs: hour }, { tasks: 100 }],
    },
    // Claimed from in place by every round, so there have to be enough for all.
    '10,000 beside 1,000,000 finished': {
      queues: one,
      groups: [{ tasks: 1_000_000, finished: true }, { tasks: 10_000 }],
    },
  };
}

function split(tasks) {
  return three.map((queue) => ({ tasks: Math.ceil(tasks / three.length), queue }));
}

function row(bench, backend, title, medians) {
  const [other, target] = comparison(title);
  bench.row({
    name: `claim, backlog of ${title}`,
    backend: backend.name,
    value: medians[`ours, ${title}`],
    unit: 'ms',
    ...(other && { against: { name: `backlog of ${other}`, value: medians[`ours, ${other}`] } }),
    target,
  });
}

/** What a backlog's figure is held against. */
function comparison(title) {
  const { millionToHundred, threeQueuesToOne } = targets.claim;
  switch (title) {
    case '100':
      return [];
    case '1,000,000':
      return ['100', millionToHundred];
    case '20,000 in three queues':
      return ['20,000', threeQueuesToOne];
    default:
      return ['100'];
  }
}
