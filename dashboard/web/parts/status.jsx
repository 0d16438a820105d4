/** A status by colour, shape and word. */
const SHAPES = {
  queued: <circle cx="6" cy="6" r="4" fill="none" stroke-width="1.75" />,
  delayed: (
    <path d="M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM6 4v2.2l1.5 1" fill="none" stroke-width="1.5" />
  ),
  running: <path d="M3.5 2.2v7.6L10 6z" fill="currentColor" stroke-width="1" />,
  succeeded: <path d="M2.5 6.5 5 9l4.5-5.5" fill="none" stroke-width="1.9" />,
  failed: <path d="M3 3l6 6M9 3l-6 6" fill="none" stroke-width="1.9" />,
  canceled: <path d="M2.5 6h7" fill="none" stroke-width="1.9" />,
  canceling: <path d="M2.5 6h7" fill="none" stroke-width="1.9" />,
};

export function Status({ status }) {
  return (
    <span class={`status is-${status}`}>
      <svg
        width="12"
        height="12"
        viewBox="0 0 12 12"
        stroke="currentColor"
        stroke-linecap="round"
        stroke-linejoin="round"
        aria-hidden="true"
      >
        {SHAPES[status]}
      </svg>
      {status}
    </span>
  );
}

/** Where a task stands, with two states that the column does not name. */
export function statusOf(task, nowMs) {
  if (task.status === 'queued' && task.run_at_ms > nowMs) return 'delayed';
  if (task.status === 'running' && task.cancel_requested_at_ms !== null) return 'canceling';
  return task.status;
}
