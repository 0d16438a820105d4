import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { time } from '../data/format.js';
import { useColourScheme } from '../data/preferences.js';

const HEIGHT = 168;
const DASHES = { solid: undefined, dashed: [6, 4], dotted: [2, 3] };

/**
 * @typedef {{ key: string, label: string, colour: string, line?: keyof DASHES, filled?: boolean }} Line `colour` is the
 *   name of a custom property
 */

/**
 * Lines over time. The legend shows the newest values, or those under the pointer; all charts of a page point at the
 * same moment.
 *
 * @param {{ title: string, about: string, points: any[], lines: Line[], format: (n: number) => string, most?: number }} props `most` is a value that cannot
 *   be exceeded
 */
export function Chart({ title, about, points, lines, format, most = Number.POSITIVE_INFINITY }) {
  const holder = useRef(null);
  const plot = useRef(null);
  const scheme = useColourScheme();
  const [at, setAt] = useState(null);
  const columns = [points.map((p) => p.atMs), ...lines.map(({ key }) => points.map((p) => p[key]))];
  const latest = useRef(columns);
  latest.current = columns;
  const formatNow = useRef(format);
  formatNow.current = format;

  useEffect(() => {
    const element = holder.current;
    const options = chartOptions({
      element,
      lines,
      format: (n) => formatNow.current(n),
      most,
      onPoint: setAt,
    });
    const created = new UPlot(options, latest.current, element);
    plot.current = created;
    const observer = new ResizeObserver(() =>
      created.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
    };
    // `lines` is a constant of the page.
  }, [scheme]);

  useEffect(() => plot.current.setData(columns), [points]);

  const shown = at !== null && points[at] ? points[at] : latestKnown(points, lines);
  const known = points.some((point) => lines.some(({ key }) => point[key] !== null));
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        <span class="chart-at">{shown ? time(shown.atMs) : ''}</span>
      </figcaption>
      <ul class="legend">
        {lines.map(({ key, label, colour, line = 'solid' }) => (
          <li key={key}>
            <svg width="16" height="8" aria-hidden="true" class={`c-${colour}`}>
              <line
                x1="0"
                y1="4"
                x2="16"
                y2="4"
                stroke="currentColor"
                stroke-width="2"
                stroke-dasharray={DASHES[line]?.join(' ')}
              />
            </svg>
            <span>{label}</span> <b>{value(shown?.[key], format)}</b>
          </li>
        ))}
      </ul>
      <div class="plot" ref={holder} aria-hidden="true">
        {!known && <p class="plot-empty">Nothing in this time yet</p>}
      </div>
      <p class="chart-about">{about}</p>
    </figure>
  );
}

const value = (n, format) => (n === null || n === undefined ? '–' : format(n));

function latestKnown(points, lines) {
  return points.findLast((point) => lines.some(({ key }) => point[key] !== null)) ?? null;
}

function chartOptions({ element, lines, format, most, onPoint }) {
  const colour = (name) => resolved(element, name);
  const axis = {
    stroke: colour('text-3'),
    font: `11px ${getComputedStyle(element).fontFamily}`,
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    ms: 1,
    padding: [10, 8, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: 'time' }, y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { x: { time: true }, y: { range: (_, __, max) => [0, Math.min(niceTop(max), most)] } },
    series: [
      {},
      ...lines.map(({ label, colour: name, line = 'solid', filled }) => ({
        label,
        stroke: colour(name),
        width: 1.75,
        dash: DASHES[line],
        fill: filled ? colour(`${name}-wash`) : undefined,
        points: { show: true, filter: (u, n) => isolated(u.data[n]), size: 5, fill: colour(name) },
      })),
    ],
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        size: 26,
        values: (_, ticks) => ticks.map((t) => time(t).slice(0, 5)),
      },
      {
        ...axis,
        grid: { stroke: colour('line-2'), width: 1 },
        size: 58,
        space: 34,
        values: (_, ticks) => ticks.map((n) => format(n)),
      },
    ],
    hooks: { setCursor: [(u) => onPoint(u.cursor.idx ?? null)] },
  };
}

/** A colour by its role, in the theme that is shown: a canvas knows neither. */
function resolved(element, name) {
  element.style.color = `var(--${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

/** Values without a neighbour make no line; they need dots. */
function isolated(values) {
  const known = (n) => values[n] !== null && values[n] !== undefined;
  return values.map((_, n) => n).filter((n) => known(n) && !known(n - 1) && !known(n + 1));
}

function niceTop(max) {
  if (!max) return 1;
  const step = 10 ** Math.floor(Math.log10(max));
  const padded = max * 1.08;
  return Math.ceil(padded / (step / 2)) * (step / 2);
}
