import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { pass, until } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { sized } from './long.js';

const MB = 1_000_000;
const PAYLOADS = sized({ short: 60, long: 1000 });
/** What the allocator may keep of what was freed; the payloads together are many times as much in a long run. */
const KEPT = 150 * MB;
const LARGEST_MB = sized({ short: 60, long: 300 });
/** A string within jsonb has 28 bits for its length. */
const JSONB_MB = sized({ short: 60, long: 250 });
const LARGE_MS = sized({ short: 30_000, long: 300_000 });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

function resident() {
  collect();
  return process.memoryUsage.rss();
}

const before = resident();

onEveryBackend('case 25: large payloads', (backend) => {
  it('case 25 a megabyte each under a budget of ten: the bound holds', {
    timeout: LARGE_MS,
  }, async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const text = 'x'.repeat(MB);
    for (let i = 0; i < PAYLOADS; i++) await client.submit('heavy', text);
    const counts = { now: 0, peak: 0, bad: 0 };
    stage.run(
      {
        heavy: async (_ctx, payload) => {
          counts.now += 1;
          counts.peak = Math.max(counts.peak, counts.now);
          if (payload.length !== MB) counts.bad += 1;
          await pass(2);
          counts.now -= 1;
        },
      },
      { concurrency: 50, maxInFlightBytes: 10 * MB },
    );
    // Claimed but not started is in memory all the same.
    let claimed = 0;
    let most = 0;
    await until(
      async () => {
        const stats = (await client.stats()).default;
        claimed = Math.max(claimed, stats.running);
        most = Math.max(most, process.memoryUsage.rss());
        return stats.succeeded === PAYLOADS;
      },
      { timeoutMs: LARGE_MS },
    );
    expect(counts).toMatchObject({ bad: 0 });
    expect(counts.peak).toBeLessThanOrEqual(10);
    expect(counts.peak).toBeGreaterThan(1);
    expect(claimed).toBeLessThanOrEqual(21);
    await until(() => resident() - before < KEPT, { what: 'the memory to come back' });
    const more = (bytes) => `${Math.round((bytes - before) / MB)} MB`;
    console.log(
      `${PAYLOADS} MB through: ${more(most)} above the start at most, ${more(resident())} in the end`,
    );
  });

  const works = backend.name === 'postgres' ? JSONB_MB : LARGEST_MB;

  it(`case 25 a payload of ${works} MB works`, { timeout: LARGE_MS }, async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ measure: (_ctx, payload) => payload.length });
    expect(await client.call('measure', 'x'.repeat(works * MB))).toBe(works * MB);
  });

  if (works === LARGEST_MB) return;

  it(`case 25 ${LARGEST_MB} MB are refused with the database's reason, and nobody else is harmed`, {
    timeout: LARGE_MS,
  }, async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ grow: (_ctx, mb) => 'x'.repeat(mb * MB) });
    // Both go down in one statement.
    const [large, small] = await Promise.allSettled([
      client.submit('grow', 'x'.repeat(LARGEST_MB * MB)),
      client.submit('grow', 1),
    ]);
    expect(large.reason).toMatchObject({ code: '54000' });
    expect(large.reason.message).toMatch(/too long/);
    expect(await client.wait(small.value.id)).toMatchObject({ status: 'succeeded' });
    const { id } = await client.submit('grow', LARGEST_MB, { maxAttempts: 1 });
    const grown = await client.wait(id, { timeoutMs: LARGE_MS });
    expect(grown).toMatchObject({ status: 'failed', error: { code: 'unserializable_result' } });
    expect(grown.error.message).toMatch(/too long/);
    expect(await client.call('grow', 2)).toHaveLength(2 * MB);
  });
});
