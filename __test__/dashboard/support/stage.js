import { setTimeout as delay } from 'node:timers/promises';
import { serveDashboard } from '@cairnq/dashboard';
import { deferred, until } from '../../support/until.js';
import { anHour, insertRows } from './rows.js';

const PAYLOAD = {
  order: 4711,
  to: 'ada@example.org',
  template: 'receipt',
  lines: [
    { sku: 'A-100', title: 'Field notes', amount: 3, price: 9.5 },
    { sku: 'B-220', title: 'Fountain pen', amount: 1, price: 84 },
  ],
  gift: false,
};

/**
 * A shop at work: an hour of past, a worker that runs things, things that wait, failed, were canceled or come later.
 *
 * @param {import('../../support/world.js').World} world
 * @param {object} [options] of the dashboard
 */
export async function stage(world, options = {}) {
  const client = world.client();
  const nowMs = Date.now();
  await insertRows(world, anHour(nowMs, 1_500));
  const release = deferred();
  const worker = world.worker({
    queues: ['default', 'media', 'reports'],
    concurrency: 16,
  });
  worker.task('mail.send', () => ({ delivered: true, id: 'msg_81ca' }));
  worker.task('webhook.deliver', () => {
    throw new TypeError("Cannot read properties of undefined (reading 'address')");
  });
  worker.task('image.resize', async (ctx) => {
    await ctx.progress(0.4, 'page 4 of 10');
    await release.promise;
    return null;
  });
  worker.task('report.build', async (ctx) => {
    for (const month of ['May', 'June', 'July']) await ctx.submit('mail.send', { month });
    await ctx.progress(0.75, 'waiting for the printer');
    await release.promise;
    return { pages: 31 };
  });
  const running = worker.run();

  const sent = await client.submit('mail.send', PAYLOAD, {
    key: 'receipt-4711',
    correlationId: 'order-4711',
    metadata: { trace: '00-4bf92f35' },
  });
  const failed = await client.submit(
    'webhook.deliver',
    { url: 'https://partner.example/hook' },
    { maxAttempts: 1 },
  );
  const image = await client.submit(
    'image.resize',
    { file: 'pen.jpg', width: 1600 },
    { queue: 'media' },
  );
  const report = await client.submit('report.build', { year: 2026 }, { queue: 'reports' });
  const doomed = await client.submit('image.resize', { file: 'notes.jpg' }, { queue: 'media' });
  const waiting = await client.submit(
    'text.embed',
    { text: 'no worker knows this name' },
    { queue: 'search' },
  );
  const later = await client.submit('mail.send', { reminder: true }, { runAtDelayMs: 5_400_000 });
  await client.wait(sent.id);
  await client.wait(failed.id);
  const isRunning = async ({ id }) => (await client.get(id)).message !== null;
  await until(
    async () => (await isRunning(image)) && (await isRunning(report)) && (await isRunning(doomed)),
  );

  const served = await serveDashboard({ store: world.store, port: 0, title: 'shop', ...options });
  return {
    client,
    served,
    workerId: worker.workerId,
    tasks: { sent, failed, image, report, doomed, waiting, later },
    release: release.resolve,
    async close() {
      release.resolve();
      await served.close();
      await worker.stop();
      await running;
    },
  };
}

/**
 * Goes on with the shop's work, for pictures of a live chart.
 *
 * @param {import('../../../index.js').CairnQ} client
 * @param {number} forMs
 */
export async function keepBusy(client, forMs) {
  const until = Date.now() + forMs;
  for (let n = 0; Date.now() < until; n++) {
    await client.submit(
      n % 9 === 4 ? 'webhook.deliver' : 'mail.send',
      { order: n },
      { maxAttempts: 1 },
    );
    await delay(300 + 900 * Math.abs(Math.sin(n / 7)));
  }
}
