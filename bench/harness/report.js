export function showHeading(scenario, backend) {
  console.log(`\n${scenario.title} (${backend.name})`);
}

export function showTime(seconds) {
  console.log(`  (${seconds.toFixed(1)} s)`);
}

export function showRow(row) {
  const { name, value, unit, against, againstValue, ratio, target, met } = row;
  const figure = `${format(value)} ${unit}`;
  const comparison =
    against === null ? '' : `${format(ratio)}x of ${format(againstValue)}: ${against}`;
  const verdict = target === null ? '' : `${met ? 'met' : 'NOT MET'} (${target})`;
  console.log(
    `  ${name.padEnd(46)} ${figure.padEnd(22)} ${comparison.padEnd(48)} ${verdict}`.trimEnd(),
  );
}

export function showSummary({ rows, notes }, seconds) {
  const judged = rows.filter(({ target }) => target !== null);
  const missed = judged.filter(({ met }) => !met);
  console.log(
    `\n${judged.length - missed.length} of ${judged.length} targets met; ${seconds.toFixed(1)} s`,
  );
  for (const { name, backend, target, value, unit, ratio } of missed) {
    const got = target.startsWith('ratio') ? `${format(ratio)}x` : `${format(value)} ${unit}`;
    console.log(`  not met: ${name} (${backend}): ${got}, wanted ${target}`);
  }
  for (const [name, note] of Object.entries(notes)) console.log(`  note: ${name}: ${note}`);
}

export function format(number) {
  return Math.abs(number) >= 1000 ? Math.round(number).toLocaleString('en-US') : String(number);
}
