import { useEffect, useRef } from 'preact/hooks';
import { href, navigate } from '../data/router.js';
import { Icon } from './icons.jsx';

/** Goes to the task whose id is given. */
export function FindTask({ focus }) {
  const field = useRef(null);
  useEffect(() => {
    if (focus) field.current.focus();
  }, [focus]);
  return (
    <form
      class="field is-find"
      onSubmit={(event) => {
        event.preventDefault();
        const id = field.current.value.trim();
        if (id) navigate(href(`tasks/${encodeURIComponent(id)}`));
      }}
    >
      <label>
        <span class="sr">Go to the task with this id</span>
        <span class="with-icon">
          <Icon name="search" size={16} />
          <input
            ref={field}
            id="find"
            type="search"
            placeholder="Go to id: task_…"
            autoComplete="off"
            spellcheck={false}
          />
        </span>
      </label>
    </form>
  );
}
