import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { sized } from '../cases/long.js';
import { deferred, pass, rejection, until, within } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { ownServer } from './reach.js';

const PRODUCERS = sized({ short: 4, long: 20 });
const EACH = sized({ short: 1000, long: 10_000 });
const PER_SECOND = 1000;
/** What one producer leaves unanswered at most when the database takes less than it is given. */
const UNANSWERED = 200;

/** Submits at its rate, or as fast as the database takes it. */
async function produce(store, input) {
  const from = performance.now();
  for (let sent = 0; sent < EACH; ) {
    const due = Math.ceil(((performance.now() - from) / 1000) * PER_SECOND);
    const burst = Math.min(due, EACH, sent + UNANSWERED) - sent;
    await Promise.all(Array.from({ length: burst }, (_, n) => store.submit(input(sent + n))));
    sent += burst;
    if (due <= sent) await pass(2);
  }
}

onBackend('postgres', 'case 36: notifications are hints', (backend) => {
  it('case 36 a listener stuck in a transaction: no submit fails, however many come', {
    timeout: sized({ short: 120_000, long: 600_000 }),
  }, async (context) => {
    // The smallest queue there is: otherwise it takes eight gigabytes to fill.
    const server = await ownServer({ max_notify_queue_pages: '64' }).catch((error) => error);
    if (server instanceof Error)
      return context.skip('this server has no max_notify_queue_pages (it came with 17)');
    const stage = await setStage(backend, { server: server.dsn });
    const client = stage.client();
    await client.connect();
    const listener = await stage.world.connection();
    await listener.sql('listen cairnq_queued');
    await listener.sql('begin');
    await listener.sql('select 1');
    // One long payload per transaction fills the queue with fewer of them.
    const queue = 'q'.repeat(6000);
    const input = (n) => ({ name: 'n', queue: n % 2 ? queue : `q${n}` });
    const from = performance.now();
    await Promise.all(Array.from({ length: PRODUCERS }, () => produce(stage.store(), input)));
    const seconds = (performance.now() - from) / 1000;
    const rate = Math.round((PRODUCERS * EACH) / seconds);
    console.log(`${PRODUCERS} producers at ${PER_SECOND} a second each: ${rate} submits a second`);
    const [{ usage }] = await stage.sql('select pg_notification_queue_usage() as usage');
    // The hints stopped in time, and left room for the application's own.
    expect(usage).toBeGreaterThan(0.3);
    expect(usage).toBeLessThan(0.9);
    const [{ n }] = await stage.sql('select count(*) as n from cairnq_tasks');
    expect(n).toBe(PRODUCERS * EACH);
    // Work goes on by polling meanwhile.
    const ran = deferred();
    stage.run({ polled: () => ran.resolve() }, { store: stage.store(), queues: ['polled'] });
    await client.submit('polled', null, { queue: 'polled' });
    await within(5000, ran.promise, 'the polled task');
    await listener.sql('rollback');
  });

  it('case 36 names of ten thousand characters', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const name = 'n'.repeat(10_000);
    const queue = 'q'.repeat(10_000);
    stage.run({ [name]: (_ctx, payload) => payload }, { queues: [queue], store: stage.store() });
    expect(await client.call(name, { n: 1 }, { queue })).toEqual({ n: 1 });
    const keyed = await client.submit(name, null, { key: 'k'.repeat(10_000) });
    expect((await client.getByKey('k'.repeat(10_000))).id).toBe(keyed.id);
    // What does not compress has no room in an index entry: that is the index's word, not a hint's.
    const random = randomBytes(7500).toString('base64');
    const error = await rejection(client.submit(random));
    expect(error.message).toMatch(/index/);
    expect(error.message).not.toMatch(/notify|payload string/i);
    // Its neighbours in the same statement are not harmed.
    const both = await Promise.allSettled([client.submit('fine'), client.submit(random)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('case 36 a queue without listeners costs no memory', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    // A worker makes this store listen; the other queues are nobody's.
    stage.run({ n: () => {} }, { store: client.store });
    const other = stage.store();
    const rounds = async (count) => {
      for (let i = 0; i < count; i++) {
        await other.submitMany(
          Array.from({ length: 1000 }, () => ({
            name: 'n',
            queue: `nobody-${randomBytes(64).toString('hex')}`,
          })),
        );
      }
      await client.call('n');
    };
    await rounds(3);
    const before = process.memoryUsage().rss;
    await rounds(10);
    await until(() => process.memoryUsage().rss - before < 40 * 1024 * 1024, { timeoutMs: 15_000 });
  });
});
