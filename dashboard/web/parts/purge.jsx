import { useEffect, useRef, useState } from 'preact/hooks';
import { act } from '../data/api.js';
import { count, plural } from '../data/format.js';
import { Confirm } from './dialog.jsx';
import { Icon } from './icons.jsx';
import { toast } from './toasts.jsx';

const AGES = [
  { ms: 30 * 86_400_000, name: '30 days ago' },
  { ms: 7 * 86_400_000, name: '7 days ago' },
  { ms: 86_400_000, name: '1 day ago' },
  { ms: 3_600_000, name: '1 hour ago' },
  { ms: 0, name: 'any time ago' },
];
const ENDED = ['succeeded', 'failed', 'canceled'];

/** Deletes finished tasks, a batch at a time, until none are left or the dialog is closed. */
export function PurgeButton({ filters, done }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name="trash" size={16} /> Purge…
      </button>
      {open && <Purge filters={filters} done={done} close={() => setOpen(false)} />}
    </>
  );
}

function Purge({ filters, done, close }) {
  const [status, setStatus] = useState(ENDED.includes(filters.status) ? filters.status : '');
  const [queue, setQueue] = useState(filters.queue ?? '');
  const [name, setName] = useState(filters.name ?? '');
  const [olderThanMs, setOlder] = useState(AGES[1].ms);
  const [sure, setSure] = useState(false);
  const [purged, setPurged] = useState(null);
  const closed = useRef(false);
  useEffect(
    () => () => {
      closed.current = true;
    },
    [],
  );
  const age = AGES.find(({ ms }) => ms === olderThanMs);
  const change = (set) => (event) => {
    setSure(false);
    set(event.currentTarget.value);
  };

  const run = async () => {
    let total = 0;
    setPurged(0);
    try {
      for (let more = true; more && !closed.current; ) {
        const step = await act('purge', {
          olderThanMs,
          status: status || null,
          queue: queue || null,
          name: name || null,
        });
        total += step.purged;
        more = step.more;
        setPurged(total);
      }
      toast(`${plural(total, 'task')} purged`);
    } catch (error) {
      toast(`${plural(total, 'task')} purged, then: ${error.message}`, 'failed');
    }
    close();
    done();
  };

  return (
    <Confirm
      title="Purge finished tasks"
      keep={purged === null ? undefined : 'Stop'}
      verb={purged === null ? 'Purge' : `Purged ${count(purged)}…`}
      danger
      busy={purged !== null}
      disabled={!sure}
      confirm={run}
      close={close}
    >
      <div class="form">
        <label class="field">
          <span>Ended</span>
          <select
            value={olderThanMs}
            onChange={(event) => {
              setSure(false);
              setOlder(Number(event.currentTarget.value));
            }}
          >
            {AGES.map(({ ms, name: text }) => (
              <option key={ms} value={ms}>
                {ms === 0 ? text : `more than ${text}`}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Status</span>
          <select value={status} onChange={change(setStatus)}>
            <option value="">any that has ended</option>
            {ENDED.map((text) => (
              <option key={text} value={text}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Queue</span>
          <input value={queue} placeholder="any" onInput={change(setQueue)} autoComplete="off" />
        </label>
        <label class="field">
          <span>Task name</span>
          <input value={name} placeholder="any" onInput={change(setName)} autoComplete="off" />
        </label>
      </div>
      <p>
        This deletes {status ? <b>{status}</b> : 'all finished'} tasks
        {name && (
          <>
            {' '}
            named <code>{name}</code>
          </>
        )}
        {queue ? (
          <>
            {' '}
            of queue <code>{queue}</code>
          </>
        ) : (
          ' of every queue'
        )}{' '}
        that ended {olderThanMs === 0 ? 'at any time' : `more than ${age.name}`}, with their
        payloads, results and keys. Queued and running tasks stay.
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={sure}
          onChange={(event) => setSure(event.currentTarget.checked)}
        />
        Delete them for good
      </label>
    </Confirm>
  );
}
