import { setTimeout as sleep } from 'node:timers/promises';
import { shownTarget } from '../../inspect/target.js';
import { OK, usage } from '../exit.js';
import { inspecting } from '../open.js';
import { Screen } from '../screen.js';
import { topView } from '../top-view.js';
import { durationMs, whole } from '../values.js';

/** Names with failures that fit beside the rest. */
const MAX_FAILING = 8;

/** @type {import('../options.js').Command} */
export const top = {
  name: 'top',
  summary: 'a live view of depth, rates, failures and workers',
  operands: 'TARGET',
  about: [
    'Shows queues, rates, failing names and the workers that hold tasks, again and again until q or Ctrl-C.',
    'With --json one line of JSON each time. In a pipe it prints once, unless --times says how often.',
  ],
  options: {
    interval: { type: 'string', value: 'SPAN', help: 'how often, 200ms or more (2s)' },
    window: { type: 'string', value: 'SPAN', help: 'what rates and failures are taken over (1m)' },
    times: { type: 'string', value: 'N', help: 'stop after so many' },
  },
  examples: ['cairnq top tasks.db --interval 1s'],
  async run(call) {
    const { target, values, terminal, environment } = call;
    const { stdout, stdin } = environment;
    const intervalMs = durationMs(values.interval ?? '2s', '--interval');
    if (intervalMs < 200) throw usage('--interval must be 200ms or more');
    const windowMs = durationMs(values.window ?? '1m', '--window');
    if (windowMs < 1_000) throw usage('--window must be 1s or more');
    const live = Boolean(stdout.isTTY) && !terminal.json;
    const forever = live || terminal.json ? Number.POSITIVE_INFINITY : 1;
    const times =
      values.times === undefined ? forever : whole(values.times, '--times', { least: 1 });
    return await inspecting(call, async (inspector) => {
      const screen = live ? new Screen(stdin, stdout) : null;
      const stop = screen?.stopped ?? new AbortController().signal;
      try {
        screen?.enter();
        for (let time = 1; time <= times && !stop.aborted; time++) {
          const look = { target: shownTarget(target), ...(await lookAt(inspector, windowMs)) };
          if (terminal.json) terminal.line(JSON.stringify(look));
          else if (screen !== null) screen.draw(topView(look, screen.size, terminal.paint));
          else {
            const size = { columns: terminal.width, rows: Number.POSITIVE_INFINITY };
            for (const line of topView(look, size, terminal.paint).slice(0, -1))
              terminal.line(line);
          }
          if (time < times) await pause(intervalMs, stop);
        }
      } finally {
        screen?.leave();
      }
      return OK;
    });
  },
};

/**
 * @param {import('../../inspect/inspector.js').Inspector} inspector
 * @param {number} windowMs
 */
async function lookAt(inspector, windowMs) {
  const [overview, activity, workers, { names }] = await Promise.all([
    inspector.overview(),
    inspector.activity({ windowMs }),
    inspector.workers(),
    inspector.names({ sinceMs: Date.now() - windowMs }),
  ]);
  const failures = names
    .filter(({ failed }) => failed > 0)
    .map(({ name, queue, succeeded, failed, canceled }) => ({
      name,
      queue,
      failed,
      ended: succeeded + failed + canceled,
    }))
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MAX_FAILING);
  return { overview, activity, failures, workers };
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 */
async function pause(ms, signal) {
  // Being told to stop is how a pause usually ends.
  await sleep(ms, undefined, { signal }).catch(() => {});
}
