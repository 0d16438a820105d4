import { expect, it } from 'vitest';
import { rejection, within, worstGap } from './events.js';
import { indexes, ledger, level, migrations } from './schema.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

const AT_6 = {
  cairnq_tasks_claim_idx: ['queue', 'status', 'priority desc', 'created_at_ms'],
  cairnq_tasks_status_idx: ['status'],
  cairnq_tasks_name_idx: ['name'],
  cairnq_tasks_root_idx: ['root_id'],
  cairnq_tasks_correlation_idx: ['correlation_id'],
  cairnq_tasks_completed_idx: ['completed_at_ms'],
  cairnq_tasks_lease_idx: ['lease_until_ms'],
  cairnq_tasks_claim_name_idx: ['queue', 'status', 'name', 'priority desc', 'created_at_ms'],
};
const { cairnq_tasks_status_idx: _dropped, ...KEPT } = AT_6;
const AT_10 = {
  ...KEPT,
  cairnq_tasks_claim_idx: ['queue', 'status', 'priority desc', 'run_at_ms', 'id'],
  cairnq_tasks_claim_name_idx: ['queue', 'status', 'name', 'priority desc', 'run_at_ms', 'id'],
  cairnq_tasks_status_completed_idx: ['status', 'completed_at_ms'],
  cairnq_tasks_queue_completed_idx: ['queue', 'completed_at_ms'],
};

const columnsOf = (found) =>
  Object.fromEntries(Object.entries(found).map(([name, { columns }]) => [name, columns]));

/** Two due tasks whose order by creation is the reverse of their order by due time. */
async function submitOutOfOrder(stage, client) {
  const early = await client.submit('ordered');
  const late = await client.submit('ordered');
  const now = Date.now();
  const stamp = 'update cairnq_tasks set created_at_ms = ?, run_at_ms = ? where id = ?';
  await stage.sql(stamp, [now - 9000, now - 1000, early.id]);
  await stage.sql(stamp, [now - 8000, now - 7000, late.id]);
  return { byCreation: [early.id, late.id], byDueTime: [late.id, early.id] };
}

async function claimedOrder(store) {
  const rows = await store.claim({ queues: ['default'], workerId: 'worker_order', limit: 10 });
  for (const { id } of rows) await store.complete({ taskId: id, workerId: 'worker_order' });
  return rows.map(({ id }) => id);
}

onEveryBackend('2.2 migrations', (backend) => {
  it('2.2 a fresh database is brought to level 6, with the shared names in the ledger', async () => {
    const stage = await setStage(backend);
    await stage.client().connect();
    expect(await level(stage)).toBe(6);
    expect(await ledger(stage)).toEqual(migrations(stage, 6));
    const found = await indexes(stage, 'cairnq_tasks');
    expect(columnsOf(found)).toEqual(AT_6);
    expect(found.cairnq_tasks_lease_idx.where).toMatch(/status.*running.*lease_until_ms.*not null/);
    expect(Object.values(found).filter(({ where }) => where !== null)).toHaveLength(1);
  });

  it('2.2 the additive index on task_id is made where it is missing, outside the ledger', async () => {
    const stage = await setStage(backend);
    const first = stage.client();
    await first.connect();
    const names = async () => Object.keys(await indexes(stage, 'cairnq_task_keys'));
    expect(await names()).toEqual(['cairnq_task_keys_task_id_idx']);
    await first.close();
    await stage.sql('drop index cairnq_task_keys_task_id_idx');
    await stage.client({ store: stage.store() }).connect();
    expect(await names()).toEqual(['cairnq_task_keys_task_id_idx']);
    expect(await ledger(stage)).toEqual(migrations(stage, 6));
  });

  it('2.2 0005 clears the lease of every row that is not running', async () => {
    const stage = await setStage(backend);
    const first = stage.client();
    const task = await first.submit('stale');
    await first.cancel(task.id);
    await first.close();
    // Back to how level 4 was left by an SDK that kept leases on finished rows.
    await stage.sql("delete from cairnq_migrations where name >= '0005'");
    await stage.sql('drop index cairnq_tasks_claim_name_idx');
    await stage.sql("update cairnq_meta set value = '4' where key = 'schema_version'");
    await stage.sql('update cairnq_tasks set lease_until_ms = 77 where id = ?', [task.id]);
    const second = stage.client({ store: stage.store() });
    expect((await second.get(task.id)).lease_until_ms).toBe(null);
    expect(await level(stage)).toBe(6);
    expect(await ledger(stage)).toEqual(migrations(stage, 6));
    expect(columnsOf(await indexes(stage, 'cairnq_tasks'))).toEqual(AT_6);
  });

  it('2.2 migrate: "latest" takes a database to level 10, and a plain open leaves it there', async () => {
    const stage = await setStage(backend);
    await stage.client({ store: stage.store({ migrate: 'latest' }) }).connect();
    expect(await level(stage)).toBe(10);
    expect(await ledger(stage)).toEqual(migrations(stage, 10));
    const found = await indexes(stage, 'cairnq_tasks');
    expect(columnsOf(found)).toEqual(AT_10);
    expect(found.cairnq_tasks_queue_completed_idx.where).toMatch(/succeeded.*failed.*canceled/);
    const [protocol] = await stage.sql(
      "select value from cairnq_meta where key = 'protocol_version'",
    );
    expect(protocol.value).toBe('1');

    const plain = stage.client({ store: stage.store() });
    await plain.submit('at ten');
    expect(await level(stage)).toBe(10);
    expect(columnsOf(await indexes(stage, 'cairnq_tasks'))).toEqual(AT_10);
  });

  it('2.2 the claim order is by creation below level 8, by due time from 8 on', async () => {
    const stage = await setStage(backend);
    const old = stage.store();
    const { byCreation } = await submitOutOfOrder(stage, stage.client({ store: old }));
    expect(await claimedOrder(old)).toEqual(byCreation);
    await old.close();

    const latest = stage.store({ migrate: 'latest' });
    const { byDueTime } = await submitOutOfOrder(stage, stage.client({ store: latest }));
    expect(await claimedOrder(latest)).toEqual(byDueTime);
  });

  it('2.2 a claim notices, without a restart, that another process migrated the database', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    const before = await submitOutOfOrder(stage, client);
    expect(await claimedOrder(store)).toEqual(before.byCreation);

    const peer = stage.peer('migrate.js');
    await peer.event('migrated');
    const { byDueTime } = await submitOutOfOrder(stage, client);
    expect(await claimedOrder(store)).toEqual(byDueTime);
  });

  it('2.2 processes that cold-start together apply each migration once', async () => {
    const stage = await setStage(backend);
    const peers = Array.from({ length: 5 }, () => stage.peer('open-database.js'));
    await Promise.all(peers.map((peer) => peer.event('ready')));
    for (const peer of peers) peer.send({ open: true });
    const told = await Promise.all(
      peers.map((peer) => Promise.race([peer.event('opened'), peer.event('failed')])),
    );
    expect(told.map(({ event, message }) => message ?? event)).toEqual(peers.map(() => 'opened'));
    expect(await ledger(stage)).toEqual(migrations(stage, 6));
    expect(await stage.sql('select count(*) as n from cairnq_tasks')).toEqual([{ n: 5 }]);
  });

  it('2.2 stores of one process that cold-start together agree', async () => {
    const stage = await setStage(backend);
    await Promise.all(Array.from({ length: 8 }, () => stage.store().connect()));
    expect(await ledger(stage)).toEqual(migrations(stage, 6));
  });

  it('2.2 protocol_version other than 1 is refused on every use until closed', async () => {
    const stage = await setStage(backend);
    const first = stage.client();
    await first.submit('before');
    await first.close();
    await stage.sql("update cairnq_meta set value = '2' where key = 'protocol_version'");

    const client = stage.client({ store: stage.store() });
    const uses = [
      () => client.connect(),
      () => client.submit('refused'),
      () => client.get('task_x'),
      () => client.stats(),
      () => client.purge(),
      () => client.submit('refused again'),
    ];
    for (const use of uses) {
      const error = await rejection(use());
      expect(error).toBeInstanceOf(cairnq.ProtocolVersionMismatch);
      expect(error.message).toBe('storage protocol_version=2, SDK supports 1');
    }
    await stage.sql("update cairnq_meta set value = '1' where key = 'protocol_version'");
    await expect(client.get('task_x')).rejects.toBeInstanceOf(cairnq.ProtocolVersionMismatch);
    await client.close();
    expect((await client.submit('accepted')).status).toBe('queued');
  });

  it('2.2 a missing protocol_version reads as 0', async () => {
    const stage = await setStage(backend);
    const first = stage.client();
    await first.connect();
    await first.close();
    await stage.sql("delete from cairnq_meta where key = 'protocol_version'");
    const error = await rejection(stage.client({ store: stage.store() }).submit('refused'));
    expect(error).toBeInstanceOf(cairnq.ProtocolVersionMismatch);
    expect(error.message).toBe('storage protocol_version=0, SDK supports 1');
  });
});

onBackend('sqlite', '2.2 migrations', (backend) => {
  it('2.2 an already migrated database is opened without the write lock', async () => {
    const stage = await setStage(backend);
    const first = stage.client();
    const task = await first.submit('there');
    await first.close();
    const holder = await stage.world.connection();
    await holder.sql('begin immediate');
    const client = stage.client({ store: stage.store() });
    const gap = await worstGap(async () => {
      expect((await within(2000, client.get(task.id), 'a read')).id).toBe(task.id);
    });
    expect(gap).toBeLessThan(500);
    await holder.sql('rollback');
  });

  it.each([undefined, 'latest'])(
    '2.2 a claim over a deep backlog stays cheap (migrate: %s)',
    async (migrate) => {
      const stage = await setStage(backend);
      const store = stage.store({ migrate });
      await store.connect();
      // Two names in two queues, all due, as a producer far ahead of its workers leaves them.
      await stage.sql(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
       insert into cairnq_tasks (id, name, queue, status, payload, run_at_ms, created_at_ms, updated_at_ms)
       select printf('task_%08d', i), 'name' || (i % 2), 'queue' || (i % 2), 'queued', '{}', i, i, i from n`,
      );
      const costs = [];
      for (let round = 0; round < 21; round++) {
        const from = performance.now();
        const rows = await store.claim({ queues: ['queue0', 'queue1'], workerId: 'worker_deep' });
        costs.push(performance.now() - from);
        expect(rows).toHaveLength(1);
      }
      const median = costs.sort((a, b) => a - b)[10];
      expect(median).toBeLessThan(4);
    },
  );
});
