import { expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { proxyBefore, storeOn } from './reach.js';

// Long enough that what arrives earlier was pushed.
const NO_POLL = { pollIntervalMs: 60_000 };
const isListener = (link) => /listen\b/i.test(link.said);

onBackend('postgres', '11.5 LISTEN and NOTIFY', (backend) => {
  /** Two stores that only share the database: what one learns of the other comes by notification. */
  async function setUp() {
    const stage = await setStage(backend);
    const proxy = await proxyBefore(stage);
    const near = stage.client({ store: storeOn(stage, proxy.through(stage.world.dsn)) });
    const far = stage.client({ store: stage.store() });
    await near.connect();
    await far.connect();
    const listening = (count = 1) =>
      until(async () => {
        const rows = await stage.sql(
          "select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen%'",
        );
        return rows.length >= count;
      });
    return { stage, proxy, near, far, listening };
  }

  it('11.5 a submit elsewhere starts a handler here, and its end wakes a waiter elsewhere', async () => {
    const { stage, near, far, listening } = await setUp();
    stage.run({ n: (_ctx, payload) => payload }, { store: near.store, ...NO_POLL });
    await listening();
    const costs = [];
    for (let i = 0; i < 20; i++) {
      const from = performance.now();
      expect(await far.call('n', i, { pollMs: 20_000, maxPollMs: 20_000 })).toBe(i);
      costs.push(performance.now() - from);
    }
    expect(costs.sort((a, b) => a - b)[10]).toBeLessThan(100);
  });

  it('11.5 only the queues of a worker wake it', async () => {
    const { stage, near, far, listening } = await setUp();
    const store = near.store;
    stage.run({ n: () => {} }, { store, queues: ['mine'], ...NO_POLL });
    await listening();
    const awake = (queue) => store.claimWake([queue], 400);
    const [other, mine] = [awake('other'), awake('mine')];
    await far.submit('n', null, { queue: 'other' });
    expect(await other).toBe(true);
    expect(await mine).toBe(false);
    const again = awake('mine');
    expect(await far.call('n', null, { queue: 'mine' })).toBe(null);
    expect(await again).toBe(true);
  });

  it('11.5 only the end of its own task wakes a waiter', async () => {
    const { near, far, listening } = await setUp();
    const [one, two] = await far.submitMany([{ name: 'n' }, { name: 'n' }]);
    const waits = [one, two].map(({ id }) => near.store.taskDoneWake(id, 1000));
    await listening();
    await far.cancel(two.id);
    expect(await Promise.all(waits)).toEqual([false, true]);
  });

  it('11.5 a lost listener comes back, and makes up for what it missed', async () => {
    const { stage, proxy, near, far, listening } = await setUp();
    stage.run({ n: () => 'ran' }, { store: near.store, ...NO_POLL });
    await listening();
    const waited = await far.submit('never');
    const waiting = near.wait(waited.id, { pollMs: 60_000, maxPollMs: 60_000, timeoutMs: 30_000 });
    // Everything but the listener goes on; what happens meanwhile nobody is told.
    proxy.drop(isListener);
    const missed = await far.submit('n');
    await far.cancel(waited.id);
    expect((await far.wait(missed.id, { timeoutMs: 10_000 })).result).toBe('ran');
    expect((await waiting).status).toBe('canceled');
    await listening();
    expect(await far.call('n', null, { waitTimeoutMs: 5000 })).toBe('ran');
  });

  it('11.5 a black-holed listener is noticed', { timeout: 60_000 }, async () => {
    const { stage, proxy, near, far, listening } = await setUp();
    stage.run({ n: () => 'ran' }, { store: near.store, ...NO_POLL });
    await listening();
    proxy.swallowPresent(isListener);
    const { id } = await far.submit('n');
    const ended = await far.wait(id, { timeoutMs: 30_000 });
    expect(ended.result).toBe('ran');
    expect(stage.reports).toEqual([]);
  });
});
