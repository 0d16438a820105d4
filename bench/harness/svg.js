const WIDTH = 720;
const LABELS = 260;
const FIGURES = 90;
const BAR = 20;
const STEP = 28;
const HEAD = 46;

/** Readable on a light page and on a dark one. */
const colours = { ours: '#0f766e', loop: '#94a3b8', peer: '#d97706' };
const ink = '#64748b';

/**
 * A horizontal bar chart.
 * @param {{ title: string, unit: string, bars: { label: string, value: number, kind: keyof typeof colours }[] }} chart
 */
export function barChart({ title, unit, bars }) {
  const most = Math.max(...bars.map(({ value }) => value));
  const height = HEAD + bars.length * STEP + 10;
  const lines = bars.map((bar, index) => barLine(bar, HEAD + index * STEP, most));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="${escaped(title)}">
  <text x="0" y="20" font-size="15" font-weight="600" fill="${ink}">${escaped(title)}</text>
  <text x="${WIDTH}" y="20" text-anchor="end" fill="${ink}">${escaped(unit)}</text>
${lines.join('\n')}
</svg>
`;
}

function barLine({ label, value, kind }, y, most) {
  const room = WIDTH - LABELS - FIGURES;
  const length = Math.max(1, Math.round((value / most) * room));
  const middle = y + BAR / 2 + 5;
  return [
    `  <text x="${LABELS - 8}" y="${middle}" text-anchor="end" fill="${ink}">${escaped(label)}</text>`,
    `  <rect x="${LABELS}" y="${y}" width="${length}" height="${BAR}" rx="2" fill="${colours[kind]}"/>`,
    `  <text x="${LABELS + length + 6}" y="${middle}" fill="${ink}">${value.toLocaleString('en-US')}</text>`,
  ].join('\n');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
