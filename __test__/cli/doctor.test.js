import { expect, it } from 'vitest';
import { onEveryBackend } from '../spec/stage.js';
import { until } from '../support/until.js';
import { findings, QUICK, sound } from './examined.js';
import { cairnq } from './run.js';

const MINUTE = 60_000;

onEveryBackend('doctor', (backend) => {
  it.each([undefined, 'latest'])(
    'finds nothing amiss on a sound database (%s)',
    async (migrate) => {
      const { store, target } = await sound(backend, { migrate });
      await store.close();
      const found = await findings(target);
      expect([found.ids, found.findings.map(({ id }) => id)]).toEqual([[], ['schema']]);
      expect(found.of('schema').title).toContain(
        `level ${migrate === undefined ? 6 : 10}, last migrated`,
      );
      expect(found.of('schema').explanation).toContain(
        'A store of @cairnq/native has opened this database',
      );
      expect(found.unknown.join()).toContain('there is no table of workers');
      const { code, out } = await cairnq(['doctor', target, ...QUICK]);
      expect([
        code,
        out.includes('nothing found amiss'),
        out.includes('doctor cannot know:'),
      ]).toEqual([0, true, true]);
    },
  );

  it('finds a schema that is older or newer than it should be', async () => {
    const { stage, target } = await sound(backend);
    await stage.sql("update cairnq_meta set value = '12' where key = 'schema_version'");
    await stage.sql(
      'create index cairnq_tasks_status_completed_idx on cairnq_tasks (status, completed_at_ms)',
    );
    await stage.sql('drop index cairnq_tasks_claim_idx');
    await stage.sql(
      'create index cairnq_tasks_claim_idx on cairnq_tasks (queue, status, priority desc, run_at_ms, id)',
    );
    expect((await findings(target)).ids).toContain('schema-newer');

    await stage.sql("update cairnq_meta set value = '4' where key = 'schema_version'");
    await stage.sql('drop index cairnq_tasks_claim_name_idx');
    const found = await findings(target);
    expect(found.ids).toContain('schema-old');
    expect(found.of('schema-old').remedy).toBe('cairnq migrate TARGET');
  });

  it('finds a ledger that does not fit, and one that is not there', async () => {
    const { stage, target } = await sound(backend);
    await stage.sql("delete from cairnq_migrations where name = '0004_lease_index.sql'");
    const found = await findings(target);
    expect(found.ids).toEqual(['ledger-gap']);
    expect(found.of('ledger-gap').explanation).toContain('0004_lease_index.sql');
    await stage.sql('drop table cairnq_migrations');
    expect((await findings(target)).ids).toEqual(['ledger-missing']);
  });

  it('finds missing indexes', async () => {
    const { stage, target } = await sound(backend);
    await stage.sql('drop index cairnq_tasks_root_idx');
    await stage.sql('drop index cairnq_task_keys_task_id_idx');
    const found = await findings(target);
    expect(found.ids).toEqual(['index-missing', 'index-missing']);
    const missing = found.findings.filter(({ id }) => id === 'index-missing');
    expect(missing.map(({ severity, facts }) => [severity, facts.name])).toEqual([
      ['problem', 'cairnq_tasks_root_idx'],
      ['warning', 'cairnq_task_keys_task_id_idx'],
    ]);
    expect(found.of('schema').explanation).toContain('No store of @cairnq/native has opened');
  });

  it('says what a missing index keeps it from seeing', async () => {
    const { stage, target } = await sound(backend);
    await stage.sql('drop index cairnq_tasks_claim_idx');
    const found = await findings(target);
    expect(found.ids).toContain('index-missing');
    // Postgres answers all the same, by another index or none.
    if (backend.name === 'sqlite')
      expect(found.unknown[0]).toMatch(/^the work itself: no such index/);
  });

  it('finds leases that ended and nobody to take the tasks back', async () => {
    const { stage, store, target } = await sound(backend);
    const { id } = await store.submit({ name: 'left' });
    await store.claim({ queues: ['default'], workerId: 'gone' });
    await store.close();
    await stage.sql('update cairnq_tasks set lease_until_ms = ? where id = ?', [
      Date.now() - MINUTE,
      id,
    ]);
    const found = await findings(target);
    expect(found.ids).toEqual(['expired-leases']);
    expect(found.of('expired-leases').facts.tasks).toEqual([
      { id, name: 'left', workerId: 'gone' },
    ]);
  });

  it('finds names that no worker claims', async () => {
    const { stage, store, target } = await sound(backend);
    await store.submitMany([
      { name: 'orphan', queue: 'misspelt' },
      { name: 'served', queue: 'q' },
      { name: 'served', queue: 'q' },
    ]);
    const [done] = await store.claim({ queues: ['q'], workerId: 'w' });
    await store.succeed({ taskId: done.id, workerId: 'w' });
    await store.close();
    await stage.sql("update cairnq_tasks set run_at_ms = ? where name in ('orphan', 'served')", [
      Date.now() - 5 * MINUTE,
    ]);
    const found = await findings(target);
    expect(found.ids).toEqual(['unclaimed']);
    expect(found.of('unclaimed').facts.names).toEqual([
      { name: 'orphan', queue: 'misspelt', queued: 1 },
    ]);
    expect(found.of('unclaimed').explanation).toContain('perhaps there is no worker');
  });

  it('finds tasks that come back because their lease ends', async () => {
    const { stage, store, target } = await sound(backend);
    const poison = await store.submit({ name: 'poison', maxAttempts: 9 });
    const running = await store.submit({ name: 'held' });
    const honest = await store.submit({ name: 'honest' });
    await store.claim({ queues: ['default'], workerId: 'w', limit: 3, names: ['held', 'honest'] });
    await store.fail({ taskId: honest.id, workerId: 'w', error: { code: 'handler_error' } });
    await store.close();
    await stage.sql('update cairnq_tasks set attempt = 4 where id = ?', [poison.id]);
    await stage.sql('update cairnq_tasks set attempt = 2 where id = ?', [running.id]);
    const found = await findings(target);
    expect(found.ids).toEqual(['poison']);
    const { tasks } = found.of('poison').facts;
    expect(tasks.map(({ id, attempts }) => [id, attempts])).toEqual([
      [running.id, 1],
      [poison.id, 4],
    ]);
  });

  it.each([undefined, 'latest'])(
    'finds tasks out of attempts by their lease (%s)',
    async (migrate) => {
      const { stage, store, target } = await sound(backend, { migrate });
      const { id } = await store.submit({ name: 'crasher', maxAttempts: 1 });
      await store.claim({ queues: ['default'], workerId: 'w', names: ['crasher'] });
      await stage.sql('update cairnq_tasks set lease_until_ms = 1 where id = ?', [id]);
      await store.claim({ queues: ['default'], workerId: 'w', names: [] });
      expect((await store.get(id)).error.code).toBe('lease_expired');
      await store.close();
      const found = await findings(target);
      expect(found.ids).toEqual(['lease-failures']);
      expect(found.of('lease-failures').facts.names[0]).toMatchObject({
        name: 'crasher',
        counted: 1,
        sample: id,
      });
      expect((await findings(target, ['--since', '1ms'])).ids).toEqual([]);
    },
  );

  it('finds a backlog that grows', async () => {
    const { store, target } = await sound(backend);
    let over = false;
    const producing = (async () => {
      while (!over) await store.submitMany(Array.from({ length: 20 }, () => ({ name: 'flood' })));
    })();
    try {
      const found = await findings(target);
      // So many new rows may have no statistics yet.
      expect(found.ids.filter((id) => id !== 'statistics-missing')).toEqual(['backlog']);
      expect(found.of('backlog').facts.submitted).toBeGreaterThan(20);
    } finally {
      over = true;
      await producing;
    }
  });

  it('finds tasks that run for long without a word, and cancels that are not heard', async () => {
    const { stage, store, target } = await sound(backend);
    const stalled = await store.submit({ name: 'stalled' });
    const unheard = await store.submit({ name: 'unheard' });
    await store.submit({ name: 'fresh' });
    await store.claim({ queues: ['default'], workerId: 'w', limit: 3, leaseMs: 10 * MINUTE });
    await store.cancel(unheard.id);
    await store.close();
    await stage.sql('update cairnq_tasks set run_at_ms = ? where id = ?', [
      Date.now() - 20 * MINUTE,
      stalled.id,
    ]);
    await stage.sql('update cairnq_tasks set cancel_requested_at_ms = ? where id = ?', [
      Date.now() - 5 * MINUTE,
      unheard.id,
    ]);
    const found = await findings(target);
    expect(found.ids.sort()).toEqual(['cancel-unheard', 'stalled']);
    expect(found.of('stalled').facts.tasks.map(({ id }) => id)).toEqual([stalled.id]);
    expect(found.of('cancel-unheard').facts.tasks.map(({ id }) => id)).toEqual([unheard.id]);
    expect((await findings(target, ['--long', '1h'])).ids).toEqual(['cancel-unheard']);
  });

  it('finds missing statistics', async () => {
    const { stage, store, target } = await sound(backend);
    // Neither autovacuum nor a store's own upkeep shall take them meanwhile.
    if (backend.name === 'postgres') {
      await stage.sql('alter table cairnq_tasks set (autovacuum_analyze_threshold = 1000000000)');
    }
    await store.submitMany(
      Array.from({ length: 1_500 }, () => ({ name: 'x', runAtDelayMs: MINUTE })),
    );
    await store.close();
    if (backend.name === 'sqlite') {
      await stage.sql('analyze cairnq_tasks');
      await stage.sql('delete from sqlite_stat1');
    } else {
      await until(async () => {
        const [row] = await stage.sql(
          "select n_live_tup as live from pg_stat_user_tables where relname = 'cairnq_tasks'",
        );
        return row.live > 1_000;
      });
    }
    expect((await findings(target)).ids).toContain('statistics-missing');
    await stage.sql('analyze cairnq_tasks');
    await until(async () => !(await findings(target)).ids.includes('statistics-missing'));
  });
});
