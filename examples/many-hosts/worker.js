/**
 * Postgres and any number of hosts: start this program as often as you like, wherever the database can be reached. The
 * processes know nothing of each other. Each claims what is due, a task goes to one of them only, and LISTEN/NOTIFY wakes
 * an idle one within milliseconds. When a host dies its tasks are taken over once their lease ends; all clocks in play are
 * the database's. Ten connections per process are the default: keep (processes) * (max + 3) below the server's
 * max_connections.
 *
 * DATABASE_URL=postgres://user@host/db node examples/many-hosts/worker.js
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from '@cairnq/native';

const log = (event, more) => console.log(JSON.stringify({ event, ...more }));

const worker = Worker.postgres(process.env.DATABASE_URL ?? 'postgres:///', {
  concurrency: 8,
  max: 4,
  leaseMs: Number(process.env.LEASE_MS ?? 30_000),
  onError: (error, { phase }) => log('error', { phase, message: error.message }),
});

worker.task('page.fetch', async (ctx, { url, takesMs }) => {
  log('started', { taskId: ctx.taskId, attempt: ctx.attempt });
  await delay(takesMs, undefined, { signal: ctx.signal });
  return { url, by: ctx.workerId };
});

log('serving', { workerId: worker.id });
await worker.serve();
log('ended');
