/** Handlers that a test holds, and the end of what they work off. */
import { deferred, until } from './events.js';

/** A handler that counts itself in and out and stays until `open` is called. */
export function held() {
  const opened = deferred();
  const counts = { now: 0, peak: 0, total: 0 };
  const handler = async () => {
    counts.now += 1;
    counts.total += 1;
    counts.peak = Math.max(counts.peak, counts.now);
    await opened.promise;
    counts.now -= 1;
  };
  return { handler, counts, open: opened.resolve };
}

/** Until `n` tasks have succeeded. */
export const done = (client, n) =>
  until(async () => (await client.list({ status: 'succeeded', limit: 1000 })).length === n, {
    timeoutMs: 20_000,
    what: `${n} tasks succeeded`,
  });
