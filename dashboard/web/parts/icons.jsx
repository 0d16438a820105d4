/** Small pictures beside words; they say nothing on their own. */
const PATHS = {
  overview: 'M3 13h7V3H3v10Zm0 8h7v-6H3v6Zm11 0h7V11h-7v10Zm0-18v6h7V3h-7Z',
  tasks: 'M4 6h2M4 12h2M4 18h2M10 6h10M10 12h10M10 18h10',
  workers: 'M5 4h14v6H5zM5 14h14v6H5zM9 7h.01M9 17h.01',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  play: 'M8 5.5v13l10-6.5z',
  pause: 'M8 5v14M16 5v14',
  keyboard: 'M3 7h18v11H3zM7 11h.01M11 11h.01M15 11h.01M8 14.5h8',
  retry: 'M4 12a8 8 0 1 1 2.6 5.9M4 12V6.5M4 12h5.5',
  cancel: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM8.5 8.5l7 7M15.5 8.5l-7 7',
  trash: 'M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10.5 11v5M13.5 11v5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  older: 'M9 5l7 7-7 7',
  newest: 'M15 5l-7 7 7 7M5 5v14',
  out: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16 16l4.5 4.5',
  close: 'M6 6l12 12M18 6L6 18',
  warning: 'M12 4 2.5 20h19L12 4ZM12 10v4.5M12 17.5v.01',
  empty: 'M4 13l3-8h10l3 8v6H4v-6Zm0 0h5l1.5 2.5h3L15 13h5',
};

/** @param {{ name: keyof PATHS, size?: number }} props */
export function Icon({ name, size = 18 }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The mark of the house: a cairn. */
export function Mark() {
  return (
    <svg class="mark" width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="mark-ground" />
      <g fill="#fff">
        <rect x="7" y="21" width="18" height="4.5" rx="2.25" />
        <rect x="9.5" y="14" width="13" height="4.5" rx="2.25" opacity=".85" />
        <rect x="12" y="7" width="8" height="4.5" rx="2.25" opacity=".7" />
      </g>
    </svg>
  );
}
