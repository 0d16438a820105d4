import { useEffect, useRef } from 'preact/hooks';
import { act } from '../data/api.js';
import { setPreference, usePreferences } from '../data/preferences.js';
import { useRoute } from '../data/router.js';
import { useSession } from '../data/session.js';
import { Icon, Mark } from './icons.jsx';
import { Link } from './link.jsx';
import { Shortcuts } from './shortcuts.jsx';

const PAGES = [
  { to: '', name: 'Overview', icon: 'overview' },
  { to: 'tasks', name: 'Tasks', icon: 'tasks' },
  { to: 'workers', name: 'Workers', icon: 'workers' },
];

/** The frame around every page. */
export function Shell({ logOut, children }) {
  const session = useSession();
  const { path } = useRoute();
  const main = useRef(null);
  const first = useRef(true);
  useEffect(() => {
    const page = PAGES.find(({ to }) => to === path)?.name ?? 'Task';
    document.title = `${page} · ${session.title}`;
    // Screen readers begin where the new page begins, unless it has put the focus somewhere itself.
    const within = main.current.contains(document.activeElement);
    if (!first.current && !within) main.current.focus({ preventScroll: true });
    first.current = false;
  }, [path, session.title]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current.focus()}>
        Skip to the page
      </button>
      <header class="bar">
        <div class="bar-inner">
          <Link to="" class="brand">
            <Mark />
            <span class="brand-name">{session.title}</span>
          </Link>
          <nav aria-label="Pages">
            {PAGES.map(({ to, name, icon }) => (
              <Link key={to} to={to} class="nav" aria-current={isAt(path, to) ? 'page' : undefined}>
                <Icon name={icon} />
                <span>{name}</span>
              </Link>
            ))}
          </nav>
          <div class="bar-end">
            <span class="about">
              <span class="backend">{session.backend === 'sqlite' ? 'SQLite' : 'Postgres'}</span>
              {session.readOnly && <span class="tag">read-only</span>}
            </span>
            <LiveSwitch />
            <ThemeSwitch />
            <Shortcuts />
            {logOut && (
              <button
                type="button"
                class="icon-button"
                title="Log out"
                aria-label="Log out"
                onClick={() => act('logout').then(logOut, logOut)}
              >
                <Icon name="out" />
              </button>
            )}
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
    </div>
  );
}

function LiveSwitch() {
  const { live } = usePreferences();
  const label = live ? 'Live: refreshing by itself' : 'Paused: not refreshing';
  return (
    <button
      type="button"
      class={`live ${live ? 'is-live' : ''}`}
      aria-pressed={live}
      title={label}
      onClick={() => setPreference('live', !live)}
    >
      Live
    </button>
  );
}

const THEMES = { system: 'light', light: 'dark', dark: 'system' };
const THEME_ICONS = { system: 'system', light: 'sun', dark: 'moon' };

function ThemeSwitch() {
  const { theme } = usePreferences();
  const label = `Theme: ${theme}`;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      onClick={() => setPreference('theme', THEMES[theme])}
    >
      <Icon name={THEME_ICONS[theme]} />
    </button>
  );
}

function isAt(path, to) {
  return to === '' ? path === '' : path === to || path.startsWith(`${to}/`);
}
