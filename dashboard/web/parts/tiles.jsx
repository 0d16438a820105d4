import { count, duration, minutes, percent, rate } from '../data/format.js';
import { Link } from './link.jsx';

/** The numbers one looks at first. */
export function Tiles({ overview, queue }) {
  const { queues, series, nowMs } = overview;
  const rows = queues.filter((row) => queue === null || row.queue === queue);
  const sum = (status) => rows.reduce((total, row) => total + row.counts[status], 0);
  const atLeast = (status) => rows.some((row) => row.capped.includes(status));
  const number = (status) => count(sum(status), atLeast(status));
  const oldest = rows.map((row) => row.oldestDueMs).filter((ms) => ms !== null);
  const waiting = oldest.length > 0 ? Math.max(0, nowMs - Math.min(...oldest)) : null;
  const { succeeded, failed, canceled, coveredMs, p50, p95 } = series.totals;
  const ended = succeeded + failed + canceled;
  const judged = succeeded + failed;

  return (
    <section class="tiles" aria-label="In numbers">
      <Tile
        name="Due now"
        value={number('queued')}
        note={waiting === null ? 'nothing waits' : `oldest waits ${duration(waiting)}`}
        to={{ status: 'queued', queue }}
      />
      <Tile
        name="Running"
        value={number('running')}
        note="under a lease"
        to={{ status: 'running', queue }}
      />
      <Tile
        name="Delayed"
        value={number('delayed')}
        note="due later"
        to={{ status: 'queued', queue }}
      />
      <Tile
        name="Throughput"
        value={coveredMs > 0 ? rate(ended / (coveredMs / 1000)) : '–'}
        note={`${count(ended)} ended in ${minutes(coveredMs)}`}
      />
      <Tile
        name="Failure rate"
        value={judged > 0 ? percent(failed / judged) : '–'}
        note={`${count(failed)} of ${count(judged)} failed`}
        to={{ status: 'failed', queue }}
        alarm={judged > 0 && failed / judged >= 0.1}
      />
      <Tile
        name="Due to done, p95"
        value={p95 === null ? '–' : duration(p95)}
        note={p50 === null ? 'nothing ended' : `half within ${duration(p50)}`}
      />
    </section>
  );
}

function Tile({ name, value, note, to, alarm }) {
  const body = (
    <>
      <span class="tile-name">{name}</span>
      <span class={`tile-value ${alarm ? 'is-alarm' : ''}`}>{value}</span>
      <span class="tile-note">{note}</span>
    </>
  );
  return to ? (
    <Link to="tasks" params={to} class="card tile">
      {body}
    </Link>
  ) : (
    <div class="card tile">{body}</div>
  );
}
