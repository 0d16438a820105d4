/**
 * Paths relative to where the dashboard is mounted, kept in the browser's history.
 */
import { useEffect, useState } from 'preact/hooks';

const base = new URL(document.baseURI).pathname;
const listeners = new Set();

function current() {
  const { pathname, search } = window.location;
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : '';
  return { path: path.replace(/\/$/, ''), params: new URLSearchParams(search) };
}

/** @param {string} path @param {Record<string, unknown>} [params] those without a value are left out */
export function href(path, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  const query = new URLSearchParams(given.filter(([, value]) => value !== '')).toString();
  return base + path + (query && `?${query}`);
}

/** @param {string} to @param {{ replace?: boolean }} [options] */
export function navigate(to, { replace = false } = {}) {
  const from = window.location.pathname;
  window.history[replace ? 'replaceState' : 'pushState'](null, '', to);
  // A filter keeps the place on the page, another page begins at its top.
  if (from !== window.location.pathname) window.scrollTo(0, 0);
  for (const listener of listeners) listener();
}

export function useRoute() {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const update = () => setRoute(current());
    listeners.add(update);
    window.addEventListener('popstate', update);
    return () => {
      listeners.delete(update);
      window.removeEventListener('popstate', update);
    };
  }, []);
  return route;
}

/** Follows a link within the page; with a modifier, or the middle button, the browser does it. */
export function follow(event) {
  const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (modified || event.button !== 0 || event.defaultPrevented) return;
  event.preventDefault();
  navigate(event.currentTarget.getAttribute('href'));
}
