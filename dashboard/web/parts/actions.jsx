import { useState } from 'preact/hooks';
import { act } from '../data/api.js';
import { plural } from '../data/format.js';
import { Confirm } from './dialog.jsx';
import { Icon } from './icons.jsx';
import { toast } from './toasts.jsx';

const canRetry = (task) => task.status === 'failed' || task.status === 'canceled';
const canCancel = (task) => task.status === 'queued' || task.status === 'running';

/** Retry and cancel, for those of the tasks that are in a state for it. */
export function TaskActions({ tasks, done }) {
  const [asking, setAsking] = useState(null);
  const offers = [
    { verb: 'retry', icon: 'retry', tasks: tasks.filter(canRetry) },
    { verb: 'cancel', icon: 'cancel', tasks: tasks.filter(canCancel) },
  ].filter((offer) => offer.tasks.length > 0);
  return (
    <>
      {offers.map((offer) => (
        <button key={offer.verb} type="button" class="button" onClick={() => setAsking(offer)}>
          <Icon name={offer.icon} size={16} />
          {offer.verb === 'retry' ? 'Retry' : 'Cancel'}
          {tasks.length > 1 && <span class="badge">{offer.tasks.length}</span>}
        </button>
      ))}
      {asking?.verb === 'retry' && (
        <AskRetry tasks={asking.tasks} done={done} close={() => setAsking(null)} />
      )}
      {asking?.verb === 'cancel' && (
        <AskCancel tasks={asking.tasks} done={done} close={() => setAsking(null)} />
      )}
    </>
  );
}

function AskRetry({ tasks, done, close }) {
  const [resetAttempt, setReset] = useState(false);
  const [busy, run] = useAction('retry', 'queued again', { done, close });
  return (
    <Confirm
      title={tasks.length === 1 ? 'Retry this task?' : `Retry ${plural(tasks.length, 'task')}?`}
      verb="Retry"
      busy={busy}
      confirm={() => run({ ids: tasks.map((task) => task.id), resetAttempt })}
      close={close}
    >
      <p>{whichTasks(tasks)} will be queued again and due at once. The error is cleared.</p>
      <label class="check">
        <input
          type="checkbox"
          checked={resetAttempt}
          onChange={(e) => setReset(e.currentTarget.checked)}
        />
        Count attempts from 0 again
      </label>
    </Confirm>
  );
}

function AskCancel({ tasks, done, close }) {
  const [busy, run] = useAction('cancel', 'asked to stop', { done, close });
  const running = tasks.filter((task) => task.status === 'running').length;
  return (
    <Confirm
      title={tasks.length === 1 ? 'Cancel this task?' : `Cancel ${plural(tasks.length, 'task')}?`}
      verb={tasks.length === 1 ? 'Cancel the task' : 'Cancel the tasks'}
      danger
      busy={busy}
      confirm={() => run({ ids: tasks.map((task) => task.id) })}
      close={close}
    >
      <p>
        {whichTasks(tasks)} {running < tasks.length ? 'will not be started. ' : ''}
        {running > 0
          ? 'will be asked to stop: a running handler ends when it looks for the request, and its outcome no longer counts.'
          : ''}
      </p>
    </Confirm>
  );
}

/** One request at a time, and a note on its outcome. */
function useAction(name, outcome, { done, close }) {
  const [busy, setBusy] = useState(false);
  const run = async (body) => {
    setBusy(true);
    try {
      const { done: changed, unchanged } = await act(name, body);
      toast(
        `${plural(changed, 'task')} ${outcome}${unchanged > 0 ? `, ${unchanged} had changed meanwhile` : ''}`,
      );
    } catch (error) {
      toast(error.message, 'failed');
    }
    close();
    done();
  };
  return [busy, run];
}

function whichTasks(tasks) {
  if (tasks.length > 1) return `These ${tasks.length} tasks`;
  return (
    <>
      <code>{tasks[0].name}</code>, <code>{tasks[0].id}</code>,
    </>
  );
}
