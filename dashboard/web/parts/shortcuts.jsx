import { useEffect, useState } from 'preact/hooks';
import { preference, setPreference, usePreferences } from '../data/preferences.js';
import { href, navigate } from '../data/router.js';
import { Dialog } from './dialog.jsx';
import { Icon } from './icons.jsx';

const KEYS = [
  { keys: 'g o', what: 'Overview', go: '' },
  { keys: 'g t', what: 'Tasks', go: 'tasks' },
  { keys: 'g w', what: 'Workers', go: 'workers' },
  { keys: '/', what: 'Find a task by its id' },
  { keys: 'l', what: 'Live refresh on or off' },
  { keys: '?', what: 'This help' },
];
/** How long the second key of a pair may take. */
const PAIR_MS = 1000;

/** The button that explains the keys, and the keys. They can be switched off: some people speak their keyboard. */
export function Shortcuts() {
  const [open, setOpen] = useState(false);
  const { shortcuts } = usePreferences();
  useEffect(() => listen(() => setOpen(true)), []);
  return (
    <>
      <button
        type="button"
        class="icon-button wide-only"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => setOpen(true)}
      >
        <Icon name="keyboard" />
      </button>
      {open && (
        <Dialog title="Keyboard shortcuts" close={() => setOpen(false)}>
          <dl class="keys">
            {KEYS.map(({ keys, what }) => (
              <div key={keys}>
                <dt>
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <label class="check">
            <input
              type="checkbox"
              checked={shortcuts}
              onChange={(event) => setPreference('shortcuts', event.currentTarget.checked)}
            />
            Use these keys
          </label>
        </Dialog>
      )}
    </>
  );
}

function listen(help) {
  let last = { key: '', atMs: 0 };
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (!preference('shortcuts') || document.querySelector('dialog[open]')) return;
    const keys = event.timeStamp - last.atMs < PAIR_MS ? `${last.key} ${event.key}` : event.key;
    last = { key: event.key, atMs: event.timeStamp };
    const pair = KEYS.find(({ go, keys: wanted }) => go !== undefined && wanted === keys);
    if (pair) navigate(href(pair.go));
    else if (event.key === '?') help();
    else if (event.key === 'l') setPreference('live', !preference('live'));
    else if (event.key === '/') find(event);
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

function find(event) {
  event.preventDefault();
  const field = document.querySelector('#find');
  if (field) field.focus();
  else navigate(href('tasks', { find: 1 }));
}

function isTyping(target) {
  return target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}
