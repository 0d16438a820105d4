import { useState } from 'preact/hooks';
import { count } from '../data/format.js';
import { jsonTokens } from '../data/json-tokens.js';
import { CopyButton } from './copy.jsx';

/** Lines shown before one asks for the rest. */
const FOLDED_LINES = 24;
/** Characters up to which text is coloured; beyond, it is shown plain to stay quick. */
const COLOURED = 60_000;

/** One JSON column. */
export function JsonView({ title, json, nothing = 'nothing' }) {
  const [unfolded, setUnfolded] = useState(false);
  const lines = json ? json.text.split('\n') : [];
  const folds = lines.length > FOLDED_LINES + 4;
  const text = folds && !unfolded ? lines.slice(0, FOLDED_LINES).join('\n') : (json?.text ?? '');
  return (
    <section class="card json" aria-label={title}>
      <header class="card-head">
        <h2>{title}</h2>
        {json && <CopyButton text={json.text} what={title.toLowerCase()} />}
      </header>
      {json ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0}>{text.length > COLOURED ? text : jsonTokens(text).map(piece)}</pre>
      ) : (
        <p class="faint pad">{nothing}</p>
      )}
      {folds && (
        <button
          type="button"
          class="fold"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        >
          {unfolded ? 'Show less' : `Show all ${count(lines.length)} lines`}
        </button>
      )}
      {json && json.length > json.text.length && (
        <p class="faint pad">The first part of {count(json.length)} characters.</p>
      )}
    </section>
  );
}

const piece = ({ kind, text }, n) =>
  kind === 'plain' ? (
    text
  ) : (
    <span key={n} class={`j-${kind}`}>
      {text}
    </span>
  );
