import { Icon } from './icons.jsx';

/** Nothing to show, and what that means. */
export function Empty({ title, level = 2, children, action }) {
  const Heading = `h${level}`;
  return (
    <div class="state">
      <Icon name="empty" size={28} />
      <Heading class="state-title">{title}</Heading>
      <p>{children}</p>
      {action}
    </div>
  );
}

/** Something failed, and what the server said. */
export function Problem({ error, retry }) {
  return (
    <div class="state is-problem" role="alert">
      <Icon name="warning" size={28} />
      <h2 class="state-title">{TITLES[error.code] ?? 'That did not work'}</h2>
      <p>{error.message}</p>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

const TITLES = {
  unreachable: 'No connection',
  database: 'The database did not answer',
  no_task: 'No such task',
};

/** Above what was read before, when reading it again fails. */
export function Stale({ error }) {
  if (!error) return null;
  return (
    <p class="stale" role="alert">
      <Icon name="warning" size={16} /> Not current: {error.message}
    </p>
  );
}

/** Grey bars in the size of what is to come. */
export function Skeleton({ rows = 6, height = 44 }) {
  return (
    <div class="skeletons" aria-hidden="true">
      {Array.from({ length: rows }, (_, n) => (
        <div key={n} class="skeleton" style={{ height: `${height}px` }} />
      ))}
    </div>
  );
}
