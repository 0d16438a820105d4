import pg from 'pg';
import { payloadOf } from '../harness/payloads.js';

/**
 * Makes a large group of tasks in one statement, as the protocol's own operations would have left them: a million
 * submits and cancels one by one would take the better part of an hour where every commit waits for the disk.
 * @param {string} dsn of a migrated database
 * @param {string} name
 * @param {import('./fill.js').Group} group
 */
export async function fillPostgres(dsn, name, group) {
  const { tasks, payloadBytes = 20, queue = 'default', delayMs = 0 } = group;
  const { finished = false, keyed = false } = group;
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  try {
    const payload = JSON.stringify(payloadOf(payloadBytes));
    await client.query(insert, [tasks, name, queue, payload, Date.now(), delayMs, finished]);
    if (keyed) await client.query(point, [queue]);
  } finally {
    await client.end();
  }
}

// A hundred tasks for each millisecond, ids in the order of their times.
const insert = `
  insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms, completed_at_ms)
  select 'task_' || lpad(($5::bigint * 1000000 + n)::text, 26, '0'), $2, $3,
    case when $7 then 'canceled' else 'queued' end, $4::jsonb,
    $5::bigint + n / 100 - 1000000 + $6::bigint, $5::bigint + n / 100 - 1000000, $5::bigint,
    case when $7 then $5::bigint end
  from generate_series(1, $1::bigint) as n`;

const point = `
  insert into cairnq_task_keys (key, task_id, created_at_ms, updated_at_ms)
  select id, id, created_at_ms, updated_at_ms from cairnq_tasks where queue = $1`;
