/**
 * Calls `stop` on the first SIGINT or SIGTERM. Both listeners go with it, so that a second signal
 * meets Node's default and a worker that will not drain can still be ended.
 *
 * @param {() => void} stop
 * @returns {() => void} takes the listeners off
 */
export function onFirstSignal(stop) {
  const forget = () => {
    process.off('SIGINT', first);
    process.off('SIGTERM', first);
  };
  const first = () => {
    forget();
    stop();
  };
  process.on('SIGINT', first);
  process.on('SIGTERM', first);
  return forget;
}
