import { plural } from '../data/format.js';
import { useLive } from '../data/live.js';
import { TaskLink } from '../parts/link.jsx';
import { Numbers } from '../parts/numbers.jsx';
import { Empty, Problem, Skeleton, Stale } from '../parts/states.jsx';
import { Status } from '../parts/status.jsx';
import { Lease } from '../parts/time.jsx';

/** Who runs what, and for how long each lease still holds. */
export function Workers() {
  const { data, error, refresh } = useLive('workers', {}, { everyMs: 2000 });
  return (
    <>
      <header class="page-head">
        <div>
          <h1>Workers</h1>
          <p class="lead">
            Workers that run something now. One that has nothing to do leaves no trace in the
            database.
          </p>
        </div>
      </header>
      <Stale error={data && error} />
      {!data && error ? (
        <Problem error={error} retry={refresh} />
      ) : !data ? (
        <div aria-busy="true">
          <p class="sr">Loading</p>
          <Skeleton rows={4} height={120} />
        </div>
      ) : data.workers.length === 0 ? (
        <Empty title="Nothing is running">Workers appear here while they hold tasks.</Empty>
      ) : (
        data.workers.map((worker) => (
          <WorkerCard key={worker.workerId} worker={worker} offsetMs={data.offsetMs} />
        ))
      )}
      {data?.capped && (
        <p class="faint">Only the 2,000 running tasks whose leases end first are shown.</p>
      )}
    </>
  );
}

function WorkerCard({ worker, offsetMs }) {
  const { workerId, running, oldestLeaseUntilMs, tasks } = worker;
  return (
    <section class="card worker" aria-label={`Worker ${workerId}`}>
      <header class="card-head">
        <h2>
          <code>{workerId}</code>
        </h2>
        <span class="faint">
          {plural(running, 'task')} · first lease ends in{' '}
          <Lease untilMs={oldestLeaseUntilMs} offsetMs={offsetMs} />
        </span>
      </header>
      <Numbers label={`Tasks of ${workerId}`}>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Queue</th>
            <th scope="col" class="num">
              Attempt
            </th>
            <th scope="col">Progress</th>
            <th scope="col" class="num">
              Lease
            </th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.id}>
              <th scope="row">
                <TaskLink id={task.id}>{task.name}</TaskLink>{' '}
                {task.cancelRequestedAtMs !== null && <Status status="canceling" />}
              </th>
              <td>{task.queue}</td>
              <td class="num">
                {task.attempt}
                <span class="faint"> / {task.maxAttempts}</span>
              </td>
              <td>
                {task.progress !== null && (
                  <progress
                    class="progress is-small"
                    max={1}
                    value={task.progress}
                    aria-label={`Progress of ${task.name}`}
                  />
                )}{' '}
                {task.message ?? (task.progress === null ? <span class="zero">–</span> : '')}
              </td>
              <td class="num">
                <Lease untilMs={task.leaseUntilMs} offsetMs={offsetMs} />
              </td>
            </tr>
          ))}
        </tbody>
      </Numbers>
    </section>
  );
}
