import { count, duration, percent } from '../data/format.js';
import { Link } from './link.jsx';
import { Numbers } from './numbers.jsx';
import { Skeleton, Stale } from './states.jsx';

const OF_A_QUEUE = ['queued', 'delayed', 'running', 'succeeded', 'failed', 'canceled'];
const OF_A_NAME = ['queued', 'running', 'succeeded', 'failed', 'canceled'];

/** How each queue stands now. */
export function QueuesTable({ queues, capped, nowMs }) {
  return (
    <Card title="Queues" about="all tasks in the database" cut={capped && 'queues'}>
      <Numbers label="Queues">
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <CountHeads statuses={OF_A_QUEUE} titles={{ queued: 'due' }} />
            <th scope="col" class="num">
              oldest due
            </th>
          </tr>
        </thead>
        <tbody>
          {queues.map((row) => (
            <tr key={row.queue}>
              <th scope="row">
                <Link to="" params={{ queue: row.queue }}>
                  {row.queue || '(empty name)'}
                </Link>
              </th>
              <Counts
                statuses={OF_A_QUEUE}
                counts={row.counts}
                capped={row.capped}
                params={{ queue: row.queue }}
              />
              <td class="num">
                {row.oldestDueMs === null ? '–' : duration(Math.max(0, nowMs - row.oldestDueMs))}
              </td>
            </tr>
          ))}
        </tbody>
      </Numbers>
    </Card>
  );
}

/** How each kind of task stands and went. */
export function NamesTable({ answer, error, queue }) {
  const names = [...(answer?.names ?? [])].sort(byWeight);
  return (
    <Card
      title="Task names"
      about="live now, and ended in this time, among the latest to end"
      cut={answer?.capped && 'names'}
    >
      <Stale error={error} />
      {answer ? (
        <Numbers label="Task names">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {queue === null && <th scope="col">Queue</th>}
              <CountHeads statuses={OF_A_NAME} />
              <th scope="col" class="share-head">
                failure rate
              </th>
            </tr>
          </thead>
          <tbody>
            {names.map((row) => (
              <tr key={`${row.queue} ${row.name}`}>
                <th scope="row">
                  <Link to="tasks" params={{ name: row.name, queue: row.queue }}>
                    <code>{row.name}</code>
                  </Link>
                </th>
                {queue === null && <td>{row.queue}</td>}
                <Counts
                  statuses={OF_A_NAME}
                  counts={row}
                  capped={row.capped}
                  params={{ name: row.name, queue: row.queue }}
                />
                <td class="share">
                  <Share failed={row.failed} of={row.failed + row.succeeded} />
                </td>
              </tr>
            ))}
          </tbody>
        </Numbers>
      ) : (
        <Skeleton rows={3} />
      )}
      {answer && names.length === 0 && (
        <p class="faint pad">No task is live, and none ended in this time.</p>
      )}
    </Card>
  );
}

/** @param {{ title: string, about: string, cut?: string | false, children: any }} props `cut`: of what there is more */
function Card({ title, about, cut, children }) {
  return (
    <section class="card">
      <header class="card-head">
        <h2>{title}</h2>
        <span class="faint">{about}</span>
      </header>
      {children}
      {cut && <p class="faint pad">There are more {cut} than are shown.</p>}
    </section>
  );
}

function CountHeads({ statuses, titles = {} }) {
  return statuses.map((status) => (
    <th key={status} scope="col" class="num">
      {titles[status] ?? status}
    </th>
  ));
}

/** One cell per status, each leading to the tasks it counts. */
function Counts({ statuses, counts, capped, params }) {
  return statuses.map((status) => (
    <Count
      key={status}
      status={status}
      n={counts[status]}
      atLeast={capped.includes(status)}
      params={{ status: status === 'delayed' ? 'queued' : status, ...params }}
    />
  ));
}

function Count({ status, n, atLeast, params }) {
  return (
    <td class="num">
      {n === 0 ? (
        <span class="zero">0</span>
      ) : (
        <Link
          to="tasks"
          params={params}
          class={`count is-${status}`}
          aria-label={`${count(n, atLeast)} ${status}`}
        >
          {count(n, atLeast)}
        </Link>
      )}
    </td>
  );
}

function Share({ failed, of }) {
  if (of === 0) return <span class="zero">–</span>;
  return (
    <>
      <progress class="meter" max={1} value={failed / of} aria-hidden="true" />
      {percent(failed / of)}
    </>
  );
}

const byWeight = (a, b) => weight(b) - weight(a) || a.name.localeCompare(b.name);
const weight = (row) => row.queued + row.running + row.succeeded + row.failed + row.canceled;
