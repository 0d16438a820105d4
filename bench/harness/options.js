import { parseArgs } from 'node:util';

const usage = `npm run bench                                 everything: several minutes
npm run bench -- --quick                      the headline figures: under 50 s
  --json FILE         write machine and rows there
  --only NAME,...     only these scenarios
  --backend NAME,...  sqlite, postgres
  --durable           every commit on the run's own Postgres server waits for the disk
  --rounds N          runs of each figure; the median counts
  --publish           put the figures on the results page, bench/README.md
  --list              name the scenarios`;

/** @param {string[]} argv */
export function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      only: { type: 'string' },
      backend: { type: 'string', default: 'sqlite,postgres' },
      rounds: { type: 'string' },
      publish: { type: 'boolean', default: false },
      durable: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  const rounds = values.rounds === undefined ? null : Number(values.rounds);
  if (rounds !== null && !(Number.isInteger(rounds) && rounds >= 1)) {
    throw new Error(`--rounds must be an integer >= 1, got ${values.rounds}`);
  }
  return {
    quick: values.quick,
    json: values.json ?? null,
    only: values.only?.split(',') ?? null,
    backends: values.backend.split(','),
    rounds,
    publish: values.publish,
    durable: values.durable,
    list: values.list,
  };
}
