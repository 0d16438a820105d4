/**
 * A million tasks, written by the database itself: a day's work with a backlog in three queues.
 */
const COUNT = 1_000_000;
const DAY_MS = 86_400_000;

const NAMES =
  "case i % 6 when 0 then 'mail.send' when 1 then 'webhook.deliver' when 2 then 'invoice.sync' when 3 then 'image.resize' when 4 then 'report.build' else 'text.embed' end";
const QUEUES = "case i % 3 when 0 then 'default' when 1 then 'media' else 'reports' end";
// The newest tenth waits; of the rest one in fifty failed and one in a hundred was canceled.
const STATUS =
  "case when i > 999800 then 'running' when i > 900000 then 'queued' when i % 50 = 0 then 'failed' when i % 100 = 7 then 'canceled' else 'succeeded' end";

const DIALECTS = {
  sqlite: {
    rows: `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${COUNT})`,
    from: 'numbers',
    number: "printf('%026d', i)",
    json: (text) => text,
    before: ['pragma cache_size = -400000', 'pragma synchronous = off'],
    after: ['analyze cairnq_tasks'],
  },
  postgres: {
    rows: '',
    from: `generate_series(1, ${COUNT}) as numbers (i)`,
    number: "lpad(i::text, 26, '0')",
    json: (text) => `${text}::jsonb`,
    // A million notifications of one transaction are not what is looked at here.
    before: ['alter table cairnq_tasks disable trigger user'],
    after: ['alter table cairnq_tasks enable trigger user', 'analyze cairnq_tasks'],
  },
};

/** The id of the n-th task. @param {number} n */
export const millionth = (n) => `task_${String(n).padStart(26, '0')}`;

/** @param {import('../../support/world.js').World} world */
export async function fillMillion(world) {
  await world.store.connect();
  const { rows, from, number, json, before, after } = DIALECTS[world.name];
  const start = Date.now() - DAY_MS;
  const insert = `
    insert into cairnq_tasks (id, name, queue, status, payload, error, metadata, attempt, max_attempts, priority,
      worker_id, lease_until_ms, run_at_ms, root_id, parent_id, created_at_ms, updated_at_ms, completed_at_ms)
    ${rows}
    select 'task_' || ${number}, ${NAMES}, ${QUEUES}, ${STATUS},
      ${json(`'{"order":4711,"to":"ada@example.org"}'`)},
      case when i % 50 = 0 and i <= 900000 then ${json(`'{"type":"TypeError","code":"handler_error","message":"no","retryable":true,"details":{}}'`)} end,
      ${json("'{}'")}, case when i > 900000 and i <= 999800 then 0 else 1 end, 3, 0,
      case when i > 999800 then 'worker-' || (i % 8) end,
      case when i > 999800 then ${start} + ${DAY_MS} + 600000 end,
      ${start} + cast(i * 86.4 as bigint),
      'task_' || ${number}, null,
      ${start} + cast(i * 86.4 as bigint), ${start} + cast(i * 86.4 as bigint) + i % 900,
      case when i <= 900000 then ${start} + cast(i * 96 as bigint) - 2000 + i % 900 end
    from ${from}`;
  const connection = await world.connection();
  for (const statement of [...before, insert, ...after]) await connection.sql(statement);
  await connection.close();
}
