/**
 * Submits pages in one transaction, waits for all of them, and tells who did how many.
 *
 * DATABASE_URL=postgres://user@host/db node examples/many-hosts/submit.js [pages] [ms each takes]
 */
import { CairnQ } from '@cairnq/native';

const count = Number(process.argv[2] ?? 100);
const takesMs = Number(process.argv[3] ?? 20);
const client = CairnQ.postgres(process.env.DATABASE_URL ?? 'postgres:///', { max: 4 });

const tasks = await client.submitMany(
  Array.from({ length: count }, (_, n) => ({
    name: 'page.fetch',
    payload: { url: `https://example.org/${n}`, takesMs },
  })),
);
const done = await Promise.all(tasks.map(({ id }) => client.wait(id, { timeoutMs: 120_000 })));

const byWorker = new Map();
for (const { status, result } of done) {
  const who = status === 'succeeded' ? result.by : status;
  byWorker.set(who, (byWorker.get(who) ?? 0) + 1);
}
for (const [who, pages] of byWorker) console.log(JSON.stringify({ event: 'share', who, pages }));
await client.close();
