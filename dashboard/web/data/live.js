/**
 * Answers that stay current while somebody looks.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { read } from './api.js';
import { usePreferences } from './preferences.js';

/**
 * @param {string} name
 * @param {Record<string, unknown>} params
 * @param {{ everyMs?: number, ask?: typeof read, until?: (data: any) => boolean }} [options] `until` ends the refreshing
 * @returns {{ data: any, error: Error | null, fresh: boolean, refresh: () => void }} `data` stays that of the
 *   question before until the new answer is there (`fresh` is false then), so that nothing jumps
 */
export function useLive(name, params, { everyMs = 2000, ask = read, until } = {}) {
  const { live } = usePreferences();
  const key = `${name} ${JSON.stringify(params)}`;
  const [state, setState] = useState({ key: '', data: null, error: null });
  const [round, setRound] = useState(0);
  const refresh = useCallback(() => setRound((n) => n + 1), []);
  const done = useRef(until);
  done.current = until;

  useEffect(() => {
    const controller = new AbortController();
    let timer;
    const look = async () => {
      try {
        const data = await ask(name, params, controller.signal);
        if (controller.signal.aborted) return;
        const offsetMs = data.nowMs === undefined ? 0 : data.nowMs - Date.now();
        setState({ key, data: { ...data, offsetMs }, error: null });
        if (done.current?.(data)) return;
      } catch (error) {
        if (controller.signal.aborted) return;
        setState((before) => ({ ...before, key, error }));
      }
      if (live && !controller.signal.aborted) timer = setTimeout(next, everyMs);
    };
    // A page nobody sees asks nothing, and asks at once when it is seen again.
    const next = () => {
      if (document.hidden) document.addEventListener('visibilitychange', next, { once: true });
      else look();
    };
    look();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', next);
    };
  }, [key, live, everyMs, ask, round]);

  return { data: state.data, error: state.error, fresh: state.key === key, refresh };
}

/** The time, every second: for countdowns and ages. */
export function useNow(everyMs = 1000) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
