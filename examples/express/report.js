import { setTimeout as delay } from 'node:timers/promises';

const STEPS = 5;

/** Builds a report step by step, telling how far it is, and stops when somebody cancels it. */
export async function buildReport(ctx, { month }) {
  for (let step = 1; step <= STEPS; step += 1) {
    if (await ctx.canceled()) return undefined;
    await delay(50, undefined, { signal: ctx.signal });
    await ctx.progress(step / STEPS, `step ${step} of ${STEPS}`);
  }
  return { month, pages: STEPS };
}
