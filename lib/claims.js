/**
 * The worker's side of a store by hand: a claim session, in which a caller's plan draws rows within
 * one transaction.
 *
 * @typedef {import('../index.js').Task} Task
 */
import { duration, wellFormed, wellFormedList } from './arguments.js';

/**
 * @param {import('../index.js').ClaimSessionInput} input
 */
export function claimArgs({ queues, workerId, leaseMs, names }) {
  return {
    queues: wellFormedList(queues, 'queues'),
    workerId: wellFormed(workerId, 'workerId'),
    leaseMs: duration(leaseMs ?? 30_000, 'leaseMs', { above: 0 }),
    names: names === undefined || names === null ? null : wellFormedList(names, 'names'),
  };
}

/**
 * @template T
 * @param {(op: string, args: object) => Promise<any>} request
 * @param {ReturnType<typeof claimArgs>} args
 * @param {(draw: import('../index.js').ClaimDraw) => T | Promise<T>} plan
 * @returns {Promise<T | undefined>} undefined when there was nothing to claim or recover
 */
export async function claimSession(request, args, plan) {
  const session = await request('claimOpen', args);
  if (session === null) return undefined;
  let over = false;

  /**
   * @param {readonly string[]} names
   * @param {number} limit
   * @returns {Promise<Task[]>}
   */
  const draw = async (names, limit) => {
    if (over) throw new Error('draw was called after its claim session ended');
    const wanted = wellFormedList(names ?? [], 'names');
    if (!(limit >= 1) || wanted.length === 0) return [];
    const rows = Math.min(Math.floor(limit), Number.MAX_SAFE_INTEGER);
    return await request('claimDraw', { session, names: wanted, limit: rows });
  };

  let planned;
  try {
    planned = await plan(draw);
  } catch (error) {
    over = true;
    // The plan's error is the one to report, whatever the rollback met.
    await request('claimClose', { session, commit: false }).catch(() => {});
    throw error;
  }
  over = true;
  await request('claimClose', { session, commit: true });
  return planned;
}
