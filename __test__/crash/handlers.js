/** What the tasks of the crash runs do, and what their result has to be. */
import { setTimeout as delay } from 'node:timers/promises';

/** @param {{ n: number }} payload */
export const expected = ({ n }) => ({ n, square: n * n });

/** @param {ReturnType<import('./ledger.js').openLedger>} tell */
export function handlers(tell) {
  const run = (work) => async (ctx, payload) => {
    const run = { id: ctx.taskId, attempt: ctx.attempt };
    tell('start', run);
    try {
      return await work(ctx, payload, run);
    } finally {
      tell('end', run);
    }
  };
  return {
    /** Over before the event loop turns: prefetch and shared rounds. */
    instant: run((_ctx, payload) => expected(payload)),
    /** Long enough to be killed in the middle, and to need a renewal now and then. */
    slow: run(async (_ctx, payload) => {
      await delay(payload.ms);
      return expected(payload);
    }),
    /** Knows from the SDK itself that it is settled. */
    told: run(async (ctx, payload, run) => {
      await delay(payload.ms % 7);
      const row = await ctx.succeed(expected(payload));
      if (row?.status === 'succeeded') tell('settled', run);
      await delay(payload.ms);
    }),
    /** Fails on purpose every other time. */
    moody: run((ctx, payload) => {
      if (ctx.attempt % 2 === 1) throw new Error('not today');
      return expected(payload);
    }),
  };
}

export const NAMES = ['instant', 'slow', 'told', 'moody'];
