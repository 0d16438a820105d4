/** The few figures that the README shows, chosen from a report's rows: ours, its share of the ceiling, and peers. */
import { format } from './report.js';

const FIGURES = [
  'drain, concurrency 1',
  'drain, concurrency 64',
  'call() in one process, p50',
  'call() in two processes, p50',
];
const TITLES = { sqlite: 'SQLite', postgres: 'Postgres' };
const CEILING = 'Rust loop';

/**
 * @param {{ machine: { takenAt: string, cores: number, cpu: string }, rows: object[] }} report
 * @returns {string} Markdown
 */
export function headline({ machine, rows }) {
  const lines = FIGURES.flatMap((name) =>
    Object.keys(TITLES).flatMap((backend) =>
      line(
        name,
        backend,
        rows.filter((row) => row.name === name && row.backend === backend),
      ),
    ),
  );
  return [
    `Taken on ${machine.takenAt.slice(0, 10)}, ${machine.cores} cores of ${machine.cpu}:`,
    '',
    '| figure | database | ours | of the ceiling | ratio to peers |',
    '|---|---|---:|---:|---|',
    ...lines,
  ].join('\n');
}

function line(name, backend, rows) {
  if (rows.length === 0) return [];
  const [{ value, unit }] = rows;
  const ceiling = rows.find(({ against }) => against?.startsWith(CEILING));
  const peers = rows.filter(({ against }) => against !== null && !against.startsWith(CEILING));
  const share = ceiling === undefined ? '' : `${Math.round(ceiling.ratio * 100)} %`;
  const beside = peers.map(({ against, ratio }) => `${format(ratio)} ${against}`).join('; ');
  return [`| ${name} | ${TITLES[backend]} | ${format(value)} ${unit} | ${share} | ${beside} |`];
}
