import { useEffect, useState } from 'preact/hooks';
import { plural } from '../data/format.js';
import { useLive } from '../data/live.js';
import { readPage } from '../data/page.js';
import { href, navigate } from '../data/router.js';
import { useSession } from '../data/session.js';
import { TaskActions } from '../parts/actions.jsx';
import { Filters, filtersOf } from '../parts/filters.jsx';
import { FindTask } from '../parts/find-task.jsx';
import { Icon } from '../parts/icons.jsx';
import { Link } from '../parts/link.jsx';
import { PurgeButton } from '../parts/purge.jsx';
import { Empty, Problem, Skeleton, Stale } from '../parts/states.jsx';
import { TaskTable } from '../parts/task-table.jsx';

/** The list, newest first, by pages that cost the same however deep they lie. */
export function Tasks({ params }) {
  const filters = filtersOf(params);
  const before = params.get('before');
  const { data, error, fresh, refresh } = useLive(
    'tasks',
    { ...filters, before },
    { everyMs: 3000, ask: readPage },
  );
  const { readOnly } = useSession();
  const [chosen, setChosen] = useState(new Set());
  const key = JSON.stringify([filters, before]);
  useEffect(() => setChosen(new Set()), [key]);
  const filtered = Object.values(filters).some(Boolean);
  const selected = (data?.tasks ?? []).filter((task) => chosen.has(task.id));
  const changed = () => {
    setChosen(new Set());
    refresh();
  };

  return (
    <>
      <header class="page-head">
        <h1>Tasks</h1>
        <div class="controls">
          <FindTask focus={params.has('find')} />
          {!readOnly && <PurgeButton filters={filters} done={refresh} />}
        </div>
      </header>
      <Filters filters={filters} change={(next) => navigate(href('tasks', next))} />
      <Stale error={data && error} />
      {!data && error ? (
        <Problem error={error} retry={refresh} />
      ) : !data ? (
        <div aria-busy="true">
          <p class="sr">Loading</p>
          <Skeleton rows={12} height={48} />
        </div>
      ) : data.tasks.length === 0 ? (
        <Nothing next={data.next} filtered={filtered} filters={filters} />
      ) : (
        <div class={fresh ? '' : 'is-stale'}>
          <TaskTable
            label="Tasks"
            tasks={data.tasks}
            nowMs={data.nowMs}
            offsetMs={data.offsetMs}
            chosen={readOnly ? null : chosen}
            choose={setChosen}
          />
        </div>
      )}
      {data && (before || data.next) && (
        <nav class="pager" aria-label="Pages of the list">
          {before && (
            <Link to="tasks" params={filters} class="button">
              <Icon name="newest" size={16} /> Newest
            </Link>
          )}
          {data.next && data.tasks.length > 0 && (
            <Link to="tasks" params={{ ...filters, before: data.next }} class="button">
              Older <Icon name="older" size={16} />
            </Link>
          )}
        </nav>
      )}
      {selected.length > 0 && (
        <div class="selection" role="toolbar" aria-label="Selected tasks">
          <span>{plural(selected.length, 'task')} selected</span>
          <TaskActions tasks={selected} done={changed} />
          <button type="button" class="button is-quiet" onClick={() => setChosen(new Set())}>
            Clear
          </button>
        </div>
      )}
    </>
  );
}

function Nothing({ next, filtered, filters }) {
  if (next) {
    const params = { ...filters, before: next };
    return (
      <Empty
        title="None among the tasks looked at so far"
        action={
          <Link to="tasks" params={params} class="button">
            Look further back
          </Link>
        }
      >
        The search stops now and then, so that it never weighs on the database.
      </Empty>
    );
  }
  if (!filtered)
    return <Empty title="No tasks yet">Tasks appear here as soon as a program submits one.</Empty>;
  return (
    <Empty
      title="No task matches"
      action={
        <Link to="tasks" class="button">
          Clear the filters
        </Link>
      }
    >
      Finished tasks may have been purged.
    </Empty>
  );
}
