import { expect, it } from 'vitest';
import { rejection } from './events.js';
import { columns } from './schema.js';
import { onEveryBackend, setStage } from './stage.js';

const text = { sqlite: 'text', postgres: 'text' };
const json = { sqlite: 'text', postgres: 'jsonb' };
const real = { sqlite: 'real', postgres: 'double precision' };
const int = { sqlite: 'integer', postgres: 'integer' };
const millis = { sqlite: 'integer', postgres: 'bigint' };

// name -> [type, not null, default]
const TASKS = {
  id: [text, true],
  name: [text, true],
  queue: [text, true, 'default'],
  status: [text, true],
  payload: [json, true],
  result: [json, false],
  error: [json, false],
  metadata: [json, true, '{}'],
  progress: [real, false],
  message: [text, false],
  attempt: [int, true, '0'],
  max_attempts: [int, true, '3'],
  priority: [int, true, '0'],
  worker_id: [text, false],
  lease_until_ms: [millis, false],
  run_at_ms: [millis, true],
  cancel_requested_at_ms: [millis, false],
  parent_id: [text, false],
  root_id: [text, false],
  correlation_id: [text, false],
  created_at_ms: [millis, true],
  updated_at_ms: [millis, true],
  completed_at_ms: [millis, false],
};
const KEYS = {
  key: [text, true],
  task_id: [text, true],
  created_at_ms: [millis, true],
  updated_at_ms: [millis, true],
};
const META = { key: [text, true], value: [text, true] };
const MIGRATIONS = { name: [text, true], applied_at_ms: [millis, true] };

function expected(table, kind) {
  return Object.fromEntries(
    Object.entries(table).map(([name, [type, notNull, value = null]]) => [
      name,
      { type: type[kind], notNull, default: value },
    ]),
  );
}

onEveryBackend('2.1 tables', (backend) => {
  it.each([
    ['cairnq_tasks', TASKS],
    ['cairnq_task_keys', KEYS],
    ['cairnq_meta', META],
    ['cairnq_migrations', MIGRATIONS],
  ])('2.1 %s has the columns of the contract', async (name, table) => {
    const stage = await setStage(backend);
    await stage.client().connect();
    expect(await columns(stage, name)).toEqual(expected(table, stage.kind));
  });

  it('2.1 the database itself refuses an unknown status', async () => {
    const stage = await setStage(backend);
    const task = await stage.client().submit('checked');
    const change = stage.sql("update cairnq_tasks set status = 'paused' where id = ?", [task.id]);
    expect((await rejection(change)).message).toMatch(/check/i);
  });

  it('2.1 the database itself refuses a value that is not JSON', async () => {
    const stage = await setStage(backend);
    const task = await stage.client().submit('checked');
    for (const column of ['payload', 'result', 'error', 'metadata']) {
      const change = stage.sql(`update cairnq_tasks set ${column} = '{oops' where id = ?`, [
        task.id,
      ]);
      expect((await rejection(change)).message, column).toMatch(/check|json/i);
    }
  });

  it('2.1 a key goes with its task', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const task = await client.submit('keyed', null, { key: 'k' });
    await client.cancel(task.id);
    expect(await stage.sql('select task_id from cairnq_task_keys')).toEqual([{ task_id: task.id }]);
    await stage.sql('update cairnq_tasks set completed_at_ms = 1 where id = ?', [task.id]);
    expect(await client.purge()).toEqual([task.id]);
    expect(await stage.sql('select task_id from cairnq_task_keys')).toEqual([]);
  });

  it('2.1 the meta rows name protocol 1 and the schema version', async () => {
    const stage = await setStage(backend);
    await stage.client().connect();
    const rows = await stage.sql('select key, value from cairnq_meta order by key');
    expect(rows).toEqual([
      { key: 'protocol_version', value: '1' },
      { key: 'schema_version', value: '6' },
    ]);
  });
});
