import { duration } from '../data/format.js';
import { useLive } from '../data/live.js';
import { useSession } from '../data/session.js';
import { TaskActions } from '../parts/actions.jsx';
import { CopyButton } from '../parts/copy.jsx';
import { JsonView } from '../parts/json-view.jsx';
import { Link, TaskLink } from '../parts/link.jsx';
import { Empty, Problem, Skeleton, Stale } from '../parts/states.jsx';
import { Status, statusOf } from '../parts/status.jsx';
import { TaskTable } from '../parts/task-table.jsx';
import { Exact, Lease } from '../parts/time.jsx';

const ENDED = ['succeeded', 'failed', 'canceled'];

/** Everything about one task. */
export function TaskPage({ id }) {
  const { data, error, refresh } = useLive('task', { id }, { everyMs: 2000 });
  const { readOnly } = useSession();
  if (!data && error?.code === 'no_task') {
    return (
      <Empty
        level={1}
        title="There is no such task"
        action={
          <Link to="tasks" class="button">
            All tasks
          </Link>
        }
      >
        <code>{id}</code> is not in the database. It may have been purged.
      </Empty>
    );
  }
  if (!data && error) return <Problem error={error} retry={refresh} />;
  if (!data) {
    return (
      <div aria-busy="true">
        <h1 class="sr">Task</h1>
        <Skeleton rows={6} height={64} />
      </div>
    );
  }
  const { task, nowMs, offsetMs } = data;
  return (
    <>
      <header class="page-head is-task">
        <div>
          <p class="crumbs">
            <Link to="tasks">Tasks</Link> <span aria-hidden="true">/</span>{' '}
            <Link to="tasks" params={{ name: task.name }}>
              {task.name}
            </Link>
          </p>
          <h1>
            {task.name} <Status status={statusOf(task, nowMs)} />
          </h1>
          <p class="task-id">
            <code>{task.id}</code>
            <CopyButton text={task.id} what="the id" />
          </p>
        </div>
        {!readOnly && (
          <div class="controls">
            <TaskActions tasks={[task]} done={refresh} />
          </div>
        )}
      </header>
      <Stale error={error} />
      {task.status === 'running' && <Progress task={task} offsetMs={offsetMs} />}
      {task.errorSummary && <ErrorCard task={task} />}
      <div class="split">
        <Facts data={data} />
        <div class="stack">
          <JsonView title="Payload" json={task.payload} />
          <JsonView
            title="Result"
            json={task.result}
            nothing={ENDED.includes(task.status) ? 'no result' : 'none yet'}
          />
          {task.metadata && task.metadata.text !== '{}' && (
            <JsonView title="Metadata" json={task.metadata} />
          )}
        </div>
      </div>
      <Family data={data} />
    </>
  );
}

function Progress({ task, offsetMs }) {
  return (
    <section class="card running" aria-label="Progress">
      <div class="running-facts">
        <span>
          <span class="label">Lease</span>{' '}
          <Lease untilMs={task.lease_until_ms} offsetMs={offsetMs} />
        </span>
        <span>
          <span class="label">Worker</span> <code>{task.worker_id}</code>
        </span>
        {task.message && <span class="grow">{task.message}</span>}
        {task.progress !== null && <b class="num">{Math.round(task.progress * 100)} %</b>}
      </div>
      {task.progress !== null && (
        <progress class="progress" max={1} value={task.progress} aria-label="Progress" />
      )}
      {task.cancel_requested_at_ms !== null && (
        <p class="note">A cancel was asked for; the handler has not seen it yet.</p>
      )}
    </section>
  );
}

function ErrorCard({ task }) {
  const { type, code, message, retryable } = task.errorSummary;
  const over = task.status === 'succeeded';
  return (
    <section class={`card error ${over ? 'is-over' : ''}`} aria-label="Error">
      <header class="card-head">
        <h2>
          {over
            ? 'Error of an earlier attempt'
            : task.status === 'failed'
              ? 'Failed'
              : 'Latest error'}
        </h2>
        <span class="tag">{retryable ? 'could be retried' : 'final'}</span>
      </header>
      <p class="error-type">
        <b>{type}</b> {code && <code>{code}</code>}
      </p>
      <pre class="error-message">{message}</pre>
      {task.error && (
        <details>
          <summary>All of it</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre class="error-all" tabIndex={0}>
            {task.error.text}
          </pre>
        </details>
      )}
    </section>
  );
}

function Facts({ data }) {
  const { task, keys, parent, root, nowMs, offsetMs } = data;
  const moment = (ms) => ms !== null && <Exact ms={ms} offsetMs={offsetMs} />;
  const facts = [
    [
      'Queue',
      <Link key="q" to="tasks" params={{ queue: task.queue }}>
        {task.queue}
      </Link>,
    ],
    ['Attempts', <Attempts key="a" task={task} />],
    ['Priority', task.priority],
    ['Submitted', moment(task.created_at_ms)],
    [
      task.status === 'queued' && task.run_at_ms > nowMs ? 'Due' : 'Was due',
      moment(task.run_at_ms),
    ],
    ['Ended', moment(task.completed_at_ms)],
    [
      'Due to done',
      task.completed_at_ms !== null && duration(Math.max(0, task.completed_at_ms - task.run_at_ms)),
    ],
    ['Cancel asked', moment(task.cancel_requested_at_ms)],
    ['Last change', moment(task.updated_at_ms)],
    ['Worker', task.worker_id && <code>{task.worker_id}</code>],
    ['Message', task.status !== 'running' && task.message],
    [
      keys.length > 1 ? 'Keys' : 'Key',
      keys.length > 0 &&
        keys.map((key) => (
          <code key={key} class="line">
            {key}
          </code>
        )),
    ],
    ['Parent', task.parent_id && <Relative id={task.parent_id} task={parent} />],
    [
      'Root',
      task.root_id && task.root_id !== task.id && <Relative id={task.root_id} task={root} />,
    ],
    [
      'Correlation',
      task.correlation_id && (
        <Link key="c" to="tasks" params={{ correlationId: task.correlation_id }}>
          <code>{task.correlation_id}</code>
        </Link>
      ),
    ],
  ].filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return (
    <section class="card" aria-label="Facts">
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Relative({ id, task }) {
  return (
    <TaskLink id={id}>
      {task ? task.name : ''} <code class="faint">{id}</code>
    </TaskLink>
  );
}

/** Dots for the few attempts that most tasks have. */
const DOTS = 12;

function Attempts({ task }) {
  const { attempt, max_attempts: most } = task;
  return (
    <span class="attempts">
      {attempt} of {most}
      {most <= DOTS && (
        <span class="dots" aria-hidden="true">
          {Array.from({ length: Math.max(most, attempt) }, (_, n) => (
            <i key={n} class={n < attempt ? 'is-used' : ''} />
          ))}
        </span>
      )}
    </span>
  );
}

function Family({ data }) {
  const { task, children, childrenCapped, nowMs, offsetMs } = data;
  if (children.length === 0) return null;
  return (
    <section class="family" aria-label="Children">
      <header class="section-head">
        <h2>Children</h2>
        <Link to="tasks" params={{ parentId: task.id }}>
          {childrenCapped ? 'There are more: all of them in the list' : 'In the list'}
        </Link>
      </header>
      <TaskTable label="Children" tasks={children} nowMs={nowMs} offsetMs={offsetMs} />
    </section>
  );
}
