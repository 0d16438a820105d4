import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { charts } from './charts.js';
import { headline } from './headline.js';
import { format } from './report.js';
import { barChart } from './svg.js';

const here = fileURLToPath(new URL('..', import.meta.url));
const results = path.join(here, 'results');
/** The pages that show figures, each with the marks between which they stand. */
const pages = {
  results: {
    file: path.join(here, 'README.md'),
    begin: '<!-- results: written by npm run bench -- --publish -->',
    end: '<!-- end of results -->',
  },
  readme: {
    file: path.join(here, '../README.md'),
    begin: '<!-- headline figures: written by npm run bench -- --publish -->',
    end: '<!-- end of headline figures -->',
  },
};
const backendTitles = { sqlite: 'SQLite', postgres: 'Postgres' };

/**
 * Puts a report on the results page (the raw figures, the plots, the page's own section) and its headline into the README.
 * @param {object} report
 */
export function publish(report) {
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results);
  writeFileSync(path.join(results, 'results.json'), `${JSON.stringify(report, null, 2)}\n`);
  const sections = Object.keys(report.machine.databases).map((backend) => section(backend, report));
  write(pages.results, [machine(report.machine), ...sections, ...notes(report.notes)].join('\n'));
  write(pages.readme, `${headline(report)}\n`);
}

function write({ file, begin, end }, text) {
  const before = readFileSync(file, 'utf8');
  const [head, rest] = before.split(begin);
  const [, tail] = rest.split(end);
  writeFileSync(file, `${head}${begin}\n\n${text}\n${end}${tail}`);
}

function machine(about) {
  const versions = Object.entries(about.versions).map(([name, version]) => `${name} ${version}`);
  const durability = Object.entries(about.databases).map(([name, settings]) => {
    const listed = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
    return `- ${backendTitles[name]}: ${listed.join(', ')}`;
  });
  return [
    `Taken on ${about.takenAt.slice(0, 10)} at commit ${about.commit}.`,
    '',
    `- ${about.cores} cores of ${about.cpu}, ${about.memoryGb} GB, ${about.system}, files on ${about.directory}`,
    `- Node ${about.node}, ${about.rust}`,
    `- ${versions.join(', ')}`,
    ...durability,
    '',
  ].join('\n');
}

function section(backend, { rows }) {
  const own = rows.filter((row) => row.backend === backend);
  const plots = charts(own).map((chart) => {
    const file = `${chart.file}-${backend}.svg`;
    writeFileSync(path.join(results, file), barChart(chart));
    return `![${chart.title}](results/${file})\n`;
  });
  return [`### ${backendTitles[backend]}`, '', ...plots, ...table(own), ''].join('\n');
}

function table(rows) {
  const head = [
    '| figure | ours | against | ratio | target | |',
    '| --- | ---: | --- | ---: | --- | --- |',
  ];
  const body = rows.map(({ name, value, unit, against, againstValue, ratio, target, met }) => {
    const other = against === null ? '' : `${against}: ${format(againstValue)}`;
    const verdict = target === null ? '' : met ? 'met' : '**not met**';
    const cells = [
      name,
      `${format(value)} ${unit}`,
      other,
      ratio === null ? '' : format(ratio),
      target ?? '',
    ];
    return `| ${[...cells, verdict].join(' | ')} |`;
  });
  return [...head, ...body];
}

function notes(given) {
  const lines = Object.entries(given).map(([name, note]) => `- ${name}: ${note.split('\n')[0]}`);
  return lines.length === 0 ? [] : ['### Not measured', '', ...lines, ''];
}
