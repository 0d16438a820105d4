import { countdown, duration, shortId } from '../data/format.js';
import { TaskLink } from './link.jsx';
import { Status, statusOf } from './status.jsx';
import { Ago, Lease } from './time.jsx';

/**
 * @param {{ label: string, tasks: any[], nowMs: number, offsetMs: number, chosen?: Set<string> | null,
 *   choose?: (chosen: Set<string>) => void }} props without `chosen` nothing can be selected
 */
export function TaskTable({ label, tasks, nowMs, offsetMs, chosen = null, choose }) {
  const all = chosen !== null && tasks.every((task) => chosen.has(task.id));
  const toggle = (id) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return (
    <div class="card">
      <table class="tasks">
        <caption class="sr">{label}</caption>
        <thead>
          <tr>
            {chosen && (
              <th scope="col" class="pick">
                <input
                  type="checkbox"
                  aria-label="Select all on this page"
                  checked={all}
                  indeterminate={!all && chosen.size > 0}
                  onChange={() => choose(new Set(all ? [] : tasks.map((task) => task.id)))}
                />
              </th>
            )}
            <th scope="col" class="col-status">
              Status
            </th>
            <th scope="col">Task</th>
            <th scope="col" class="col-queue">
              Queue
            </th>
            <th scope="col" class="num col-attempt">
              Attempt
            </th>
            <th scope="col" class="num col-created">
              Submitted
            </th>
            <th scope="col" class="num col-state">
              State
            </th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.id} class={chosen?.has(task.id) ? 'is-chosen' : ''}>
              {chosen && (
                <td class="pick">
                  <input
                    type="checkbox"
                    aria-label={`Select ${task.name} ${task.id}`}
                    checked={chosen.has(task.id)}
                    onChange={() => toggle(task.id)}
                  />
                </td>
              )}
              <td class="col-status">
                <Status status={statusOf(task, nowMs)} />
              </td>
              <th scope="row" class="col-task">
                <TaskLink id={task.id} class="row-link">
                  <span class="task-name">{task.name}</span>{' '}
                  <code class="faint">{shortId(task.id)}</code>
                </TaskLink>
                <Said task={task} />
              </th>
              <td class="col-queue">{task.queue}</td>
              <td class="num col-attempt">
                {task.attempt}
                <span class="faint"> / {task.max_attempts}</span>
              </td>
              <td class="num col-created">
                <Ago ms={task.created_at_ms} offsetMs={offsetMs} />
              </td>
              <td class="num col-state">
                <State task={task} nowMs={nowMs} offsetMs={offsetMs} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One line on why it failed, or what it does. */
function Said({ task }) {
  if (task.error && task.status !== 'succeeded') {
    return (
      <span class="said is-error">
        {task.error.type}: {task.error.message}
      </span>
    );
  }
  return task.message ? <span class="said">{task.message}</span> : null;
}

function State({ task, nowMs, offsetMs }) {
  if (task.status === 'running') {
    return (
      <span class="faint">
        lease <Lease untilMs={task.lease_until_ms} offsetMs={offsetMs} />
      </span>
    );
  }
  if (task.status === 'queued') {
    const wait = nowMs - task.run_at_ms;
    return (
      <span class="faint">
        {wait >= 0 ? `waits ${duration(wait)}` : `due in ${countdown(-wait)}`}
      </span>
    );
  }
  if (task.completed_at_ms === null) return '–';
  return <span class="faint">took {duration(task.completed_at_ms - task.run_at_ms)}</span>;
}
