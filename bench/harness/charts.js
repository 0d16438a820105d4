/**
 * What is drawn of a report: a chart for each subject and backend, with one bar for each of our figures and one for
 * each thing they are compared with.
 */
const subjects = [
  {
    file: 'drain',
    title: 'Drain of queued no-op tasks, by concurrency',
    names: /^drain, concurrency (\d+)$/,
  },
  {
    file: 'prefetch',
    title: 'The same with prefetch: 0',
    names: /^drain without prefetch, concurrency (\d+)$/,
  },
  { file: 'payload', title: 'Drain with larger payloads', names: /^drain, (\d+ KB) payloads$/ },
  {
    file: 'batch',
    title: 'Drain by a batch handler of 64, by concurrency',
    names: /^drain, batch: 64, concurrency (\d+)$/,
  },
  { file: 'processes', title: 'Drain by several worker processes', names: /^drain by (.+)$/ },
  { file: 'submit', title: 'Submitting', names: /^(submit.*)(?<!fresh process)$/ },
  { file: 'call', title: 'call() from submit to result', names: /^call\(\) in (.+)$/ },
  { file: 'claim', title: 'Claim of one task from a backlog', names: /^claim, backlog of (.+)$/ },
];

/**
 * @param {object[]} rows of one backend
 * @returns {{ file: string, title: string, unit: string, bars: object[] }[]}
 */
export function charts(rows) {
  return subjects
    .map((subject) => ({ ...subject, bars: bars(subject, rows), unit: unitOf(subject, rows) }))
    .filter((chart) => chart.bars.length > 0);
}

function unitOf({ names }, rows) {
  return rows.find(({ name }) => names.test(name))?.unit ?? '';
}

function bars({ names }, rows) {
  const found = new Map();
  const add = (label, value, kind) => {
    if (!found.has(label)) found.set(label, { label, value, kind });
  };
  const ours = rows.filter(({ name }) => names.test(name));
  for (const { name, value } of ours) add(`ours, ${names.exec(name)[1]}`, value, 'ours');
  for (const { name, against, againstValue } of ours) {
    // Compared with another figure of ours that has a bar already.
    if (against === null || /^(backlog of|one process)/.test(against)) continue;
    const what = names.exec(name)[1];
    const several = ours.some(
      (row) => row.against === against && row.againstValue !== againstValue,
    );
    const kind = against.startsWith('Rust loop') ? 'loop' : 'peer';
    add(several ? `${against}, ${what}` : against, againstValue, kind);
  }
  return [...found.values()];
}
