import { ago, countdown, dateTime } from '../data/format.js';
import { useNow } from '../data/live.js';

/** How long ago (or until when), with the exact time behind it. */
export function Ago({ ms, offsetMs = 0 }) {
  const now = useNow() + offsetMs;
  return (
    <time dateTime={new Date(ms).toISOString()} title={dateTime(ms)}>
      {ago(now - ms)}
    </time>
  );
}

export function Exact({ ms, offsetMs }) {
  return (
    <span class="exact">
      <time dateTime={new Date(ms).toISOString()}>{dateTime(ms)}</time>
      <span class="faint">
        <Ago ms={ms} offsetMs={offsetMs} />
      </span>
    </span>
  );
}

/** What is left of a lease. Workers renew theirs at a third; one that comes near its end belongs to a dead worker. */
export function Lease({ untilMs, offsetMs = 0 }) {
  const left = untilMs - (useNow() + offsetMs);
  const state = left <= 0 ? 'is-over' : left < 5000 ? 'is-low' : '';
  return (
    <span class={`lease ${state}`} title={`until ${dateTime(untilMs)}`}>
      {left <= 0 ? 'expired' : countdown(left)}
    </span>
  );
}
