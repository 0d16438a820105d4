// npm run bench: measures us, the bare Rust loop and the peers in turn, prints ratios.

import { writeFileSync } from 'node:fs';
import { openBackends } from './harness/backends.js';
import { Bench } from './harness/bench.js';
import { machine } from './harness/machine.js';
import { readOptions } from './harness/options.js';
import { publish } from './harness/publish.js';
import { showHeading, showRow, showSummary, showTime } from './harness/report.js';
import { Tools } from './harness/tools.js';
import { scenarios } from './scenarios/index.js';

const options = readOptions(process.argv.slice(2));

function wantedOn(backend) {
  return scenarios.filter(
    ({ name, backends, quick }) =>
      (options.only?.includes(name) ?? true) &&
      (options.quick ? quick : backends).includes(backend),
  );
}

if (options.list) {
  for (const { name, title } of scenarios) console.log(`${name.padEnd(12)} ${title}`);
} else {
  await main();
}

async function main() {
  const tools = Tools.prepare();
  const started = performance.now();
  const bench = new Bench(options, tools, showRow);
  const backends = await openBackends(options.backends, options, bench.notes);
  const about = await machine(backends);
  try {
    for (const backend of backends) {
      for (const scenario of wantedOn(backend.name)) {
        showHeading(scenario, backend);
        const begun = performance.now();
        await scenario.run(bench, backend);
        await backend.forget();
        showTime((performance.now() - begun) / 1000);
      }
    }
  } finally {
    for (const backend of backends) await backend.close();
  }
  const seconds = (performance.now() - started) / 1000;
  const report = { machine: about, rows: bench.rows, notes: bench.notes };
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  if (options.publish) publish(report);
  showSummary(report, seconds);
}
