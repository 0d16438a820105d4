import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icons.jsx';

/** How long a note stays; an error stays longer. */
const STAYS_MS = { done: 5_000, failed: 12_000 };
/** Notes shown at once. */
const SHOWN = 3;
const listeners = new Set();
let notes = [];
let last = 0;

function update(next) {
  notes = next;
  for (const listener of listeners) listener(next);
}

const drop = (id) => update(notes.filter((note) => note.id !== id));

/** @param {string} text @param {'done' | 'failed'} [kind] */
export function toast(text, kind = 'done') {
  const id = ++last;
  update([...notes, { id, text, kind }].slice(-SHOWN));
  setTimeout(() => drop(id), STAYS_MS[kind]);
}

/** Short notes on what an action did, read out by screen readers. */
export function Toasts() {
  const [shown, setShown] = useState(notes);
  useEffect(() => {
    listeners.add(setShown);
    return () => listeners.delete(setShown);
  }, []);
  return (
    <section class="toasts" role="status" aria-label="Notes">
      {shown.map(({ id, text, kind }) => (
        <div key={id} class={`toast is-${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'warning'} />
          <span>{text}</span>
          <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => drop(id)}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </section>
  );
}
