/** What a broken queue would do to its tasks, done to them from outside: the verdict has to see each of it. */
import { setTimeout as delay } from 'node:timers/promises';

/** Not every theft is met by a second run while the first is under way. */
const THEFTS = 40;
const EVERY_MS = 25;
const PATIENCE_MS = 30_000;

/** Takes running tasks from workers whose leases are alive. */
const STEAL = `update cairnq_tasks set status = 'queued', worker_id = null, lease_until_ms = null
  where status = 'running' and name = 'slow' returning id`;

/** Brings a finished task back. */
const REVIVE = `update cairnq_tasks set status = 'queued', completed_at_ms = null
  where id = (select min(id) from cairnq_tasks where status = 'succeeded' and name = 'told')`;

/** Forgets a task that somebody was told of. */
const FORGET = `delete from cairnq_tasks
  where id = (select max(id) from cairnq_tasks where status = 'succeeded' and name = 'instant')`;

export async function sabotage(world) {
  await world.sql(REVIVE);
  await world.sql(FORGET);
  const deadline = Date.now() + PATIENCE_MS;
  for (let stolen = 0; stolen < THEFTS && Date.now() < deadline; ) {
    stolen += (await world.sql(STEAL)).length;
    await delay(EVERY_MS);
  }
}
