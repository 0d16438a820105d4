// Kills producers and workers for as long as asked, in rounds on fresh databases, and reports what was lost
// (nothing, or the exit code says so):  npm run soak -- --minutes 10 --backend postgres --seed 7
// It runs the debug build, which alone has the named crash points.

import { parseArgs } from 'node:util';
import { crashRun } from '../__test__/crash/harness.js';
import { isClean } from '../__test__/crash/verdict.js';
import { backendNamed } from './backend.js';

const ROUND_SECONDS = 30;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0.5' },
    backend: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const seconds = Number(values.minutes) * 60;
if (!(seconds > 0)) throw new Error(`--minutes must be above 0, got ${values.minutes}`);
const open = await backendNamed(values.backend);

const FAULTS = ['lost', 'doubleSettled', 'overlapping', 'twins', 'strange'];
const total = {
  tasks: 0,
  acknowledged: 0,
  kills: 0,
  reruns: 0,
  claimedAsWritten: 0,
  lateStarts: 0,
};
const faults = Object.fromEntries(FAULTS.map((fault) => [fault, []]));
const deaths = {};
const errors = {};
const until = Date.now() + seconds * 1000;
for (let round = 0; Date.now() < until; round++) {
  const world = await open.database();
  try {
    const left = Math.min(ROUND_SECONDS, (until - Date.now()) / 1000);
    const report = await crashRun({ world, seconds: left, seed: Number(values.seed) + round });
    for (const count of Object.keys(total)) total[count] += report[count];
    for (const fault of FAULTS) faults[fault].push(...report[fault]);
    for (const [cause, n] of Object.entries(report.deaths))
      deaths[cause] = (deaths[cause] ?? 0) + n;
    for (const [text, n] of Object.entries(report.errors)) errors[text] = (errors[text] ?? 0) + n;
    const { tasks, kills } = report;
    const verdict = isClean(report) ? 'clean' : 'FAULTS';
    console.log(
      `round ${round + 1}: seed ${report.seed}, ${tasks} tasks, ${kills} kills, ${verdict}`,
    );
  } finally {
    await world.close();
  }
}
await open.end();

console.log(`\n${values.backend}, ${values.minutes} minutes, seed ${values.seed}`);
for (const [name, count] of Object.entries(total)) console.log(`  ${name}: ${count}`);
console.log(`  deaths: ${JSON.stringify(deaths)}`);
for (const [name, list] of Object.entries(faults)) {
  console.log(`  ${name}: ${list.length}`);
  for (const fault of list.slice(0, 20)) console.log(`    ${JSON.stringify(fault)}`);
}
for (const [text, n] of Object.entries(errors)) console.log(`  onError, ${n} times: ${text}`);
process.exitCode = Object.values(faults).some((list) => list.length > 0) ? 1 : 0;
