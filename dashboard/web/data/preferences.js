/**
 * What this browser remembers: theme, whether pages refresh by themselves, whether single keys do something.
 */
import { useEffect, useState } from 'preact/hooks';

const DEFAULTS = { theme: 'system', live: true, shortcuts: true };
const KEY = 'cairnq-dashboard';
const listeners = new Set();
let preferences = { ...DEFAULTS, ...stored() };

function stored() {
  try {
    return JSON.parse(window.localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {}; // storage can be forbidden
  }
}

export function setPreference(name, value) {
  preferences = { ...preferences, [name]: value };
  try {
    window.localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // then it lasts as long as the page
  }
  applyTheme();
  for (const listener of listeners) listener(preferences);
}

export const preference = (name) => preferences[name];

export function usePreferences() {
  const [current, setCurrent] = useState(preferences);
  useEffect(() => {
    listeners.add(setCurrent);
    return () => listeners.delete(setCurrent);
  }, []);
  return current;
}

export function applyTheme() {
  const { theme } = preferences;
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Changes with everything that changes colours: charts draw theirs themselves. */
export function useColourScheme() {
  const { theme } = usePreferences();
  const [dark, setDark] = useState(() => systemDark().matches);
  useEffect(() => {
    const query = systemDark();
    const update = () => setDark(query.matches);
    query.addEventListener('change', update);
    return () => query.removeEventListener('change', update);
  }, []);
  return theme === 'system' ? (dark ? 'dark' : 'light') : theme;
}

const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)');
