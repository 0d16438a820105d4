import { NAMES } from './handlers.js';

/**
 * Submits the task of a number, and writes down that it was acknowledged. Half of the numbers carry a key, so that a
 * number whose answer never came can be submitted again.
 * @param {import('@cairnq/native').CairnQ} client
 * @param {ReturnType<import('./ledger.js').openLedger>} tell
 * @param {number} n
 * @param {string} [queue]
 */
export async function submitNumber(client, tell, n, queue) {
  const keyed = n % 2 === 0;
  const payload = { n, keyed, ms: (n * 37) % 60 };
  const task = await client.submit(NAMES[n % NAMES.length], payload, {
    queue,
    maxAttempts: 1_000_000,
    ...(keyed && { key: `n${n}`, conflict: 'reuse-succeeded' }),
  });
  tell('acknowledged', { id: task.id, n });
  return task.id;
}
