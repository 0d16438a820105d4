import { useState } from 'preact/hooks';
import { useLive } from '../data/live.js';

const STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'];
const TEXTS = [
  { name: 'queue', label: 'Queue' },
  { name: 'name', label: 'Task name' },
];
const FURTHER = [
  { name: 'key', label: 'Key' },
  { name: 'rootId', label: 'Root id' },
  { name: 'parentId', label: 'Parent id' },
  { name: 'correlationId', label: 'Correlation id' },
];

/** @param {URLSearchParams} params */
export function filtersOf(params) {
  const names = ['status', ...[...TEXTS, ...FURTHER].map(({ name }) => name)];
  return Object.fromEntries(names.map((name) => [name, params.get(name) || null]));
}

/** What the list is narrowed by; every change is a place in the history. */
export function Filters({ filters, change }) {
  const [more, setMore] = useState(FURTHER.some(({ name }) => filters[name]));
  const known = useLive('overview', { windowMs: 300_000 }, { everyMs: 30_000 }).data;
  const names = useLive('names', { windowMs: 3_600_000 }, { everyMs: 30_000 }).data;
  const suggestions = {
    queue: (known?.queues ?? []).map((row) => row.queue),
    name: [...new Set((names?.names ?? []).map((row) => row.name))],
  };
  const set = (name) => (value) => change({ ...filters, [name]: value });

  return (
    <search class="filters">
      <fieldset class="segments is-status">
        <legend class="sr">Status</legend>
        {[null, ...STATUSES].map((status) => (
          <label key={status}>
            <input
              type="radio"
              name="status"
              checked={filters.status === status}
              onChange={() => set('status')(status)}
            />
            <span class="segment">{status ?? 'all'}</span>
          </label>
        ))}
      </fieldset>
      {TEXTS.map(({ name, label }) => (
        <TextFilter
          key={name}
          name={name}
          label={label}
          value={filters[name]}
          change={set(name)}
          suggestions={suggestions[name]}
        />
      ))}
      <button
        type="button"
        class="button is-quiet"
        aria-expanded={more}
        onClick={() => setMore(!more)}
      >
        {more ? 'Fewer filters' : 'More filters'}
      </button>
      {more && (
        <div class="further">
          {FURTHER.map(({ name, label }) => (
            <TextFilter
              key={name}
              name={name}
              label={label}
              value={filters[name]}
              change={set(name)}
            />
          ))}
        </div>
      )}
    </search>
  );
}

/** Takes effect with Enter, with a choice from the list, or when one goes on to the next field. */
function TextFilter({ name, label, value, change, suggestions }) {
  const list = suggestions && `known-${name}`;
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        change(event.currentTarget.elements[name].value.trim());
      }}
    >
      <label>
        <span>{label}</span>
        <input
          type="search"
          name={name}
          key={value}
          defaultValue={value ?? ''}
          list={list}
          placeholder="any"
          autoComplete="off"
          spellcheck={false}
          onChange={(event) => {
            const text = event.currentTarget.value.trim();
            if (text !== (value ?? '')) change(text);
          }}
        />
      </label>
      {list && (
        <datalist id={list}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
    </form>
  );
}
