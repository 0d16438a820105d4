import { readFileSync } from 'node:fs';

/**
 * Seconds of CPU the JavaScript thread has used, and nothing else of the process: on Linux the main thread's own
 * account, in nanoseconds. Null where the system keeps none.
 */
export function javascriptThreadSeconds() {
  try {
    const account = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8');
    return Number(account.split(' ')[0]) / 1e9;
  } catch {
    return null;
  }
}
