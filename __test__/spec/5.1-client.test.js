import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rejection } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

onEveryBackend('5.1 5.2 the client', (backend) => {
  it('5.1 has every member', async () => {
    const stage = await setStage(backend);
    const store = stage.store();
    const client = stage.client({ store });
    expect(client.store).toBe(store);
    const members = `connect close submit queueDepth get getByKey list cancel cancelByKey retry
      retryByKey purge stats wait waitByKey call submitMany getStatus getStatusByKey`;
    for (const member of members.split(/\s+/))
      expect(client[member], member).toBeTypeOf('function');
  });

  it('5.1 accepts the options of the contract', async () => {
    const stage = await setStage(backend);
    const client = stage.client({
      maxQueueDepth: 5,
      maxQueueWaitMs: 100,
      queuePollIntervalMs: 10,
      retention: { olderThanMs: 86_400_000 },
    });
    expect((await client.submit('optional')).status).toBe('queued');
  });

  it('5.1 refuses what is not a store, naming what is', () => {
    for (const store of [{}, null, undefined, 'tasks.db', { submit() {} }]) {
      expect(() => new cairnq.CairnQ(store)).toThrow(/SQLiteStore.*PostgresStore/);
      expect(() => new cairnq.Worker(store, ['default'])).toThrow(/SQLiteStore.*PostgresStore/);
    }
  });

  it('5.2 connect is optional, and may be called again', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submit('first use');
    await client.connect();
    await client.connect();
    expect(await client.list()).toHaveLength(1);
  });

  it('5.2 concurrent first uses share one open', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const uses = Array.from({ length: 20 }, (_, i) => client.submit(`use ${i}`));
    await Promise.all([client.connect(), ...uses, client.stats()]);
    expect(await client.list()).toHaveLength(20);
  });

  it('5.2 close is idempotent and lets accepted writes finish', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.connect();
    const writes = Array.from({ length: 200 }, (_, i) => client.submit(`write ${i}`));
    await Promise.all([client.close(), client.close()]);
    await client.close();
    const tasks = await Promise.all(writes);
    const [{ n }] = await stage.sql('select count(*) as n from cairnq_tasks');
    expect(n).toBe(tasks.length);
  });

  it('5.2 a client that never connected closes', async () => {
    const stage = await setStage(backend);
    await stage.client().close();
  });

  it('5.2 a client on a target that cannot be meant closes, before and after it has said so', async () => {
    const client = {
      sqlite: () => cairnq.CairnQ.sqlite('file://elsewhere/tasks.db'),
      postgres: () => cairnq.CairnQ.postgres('postgres://someone:secret@['),
    }[backend.name]();
    await client.close();
    expect(await rejection(client.connect())).toBeInstanceOf(Error);
    await client.close();
    const worker = new cairnq.Worker(client.store);
    expect(await rejection(worker.background(() => {}))).toBeInstanceOf(Error);
    await worker.close();
  });
});

onBackend('sqlite', '5.1 5.2 the client', (backend) => {
  it('5.1 CairnQ.sqlite makes the store itself', async () => {
    const stage = await setStage(backend);
    const client = cairnq.CairnQ.sqlite(stage.path, { busyTimeoutMs: 1000, maxQueueDepth: 1 });
    stage.atEnd(() => client.close());
    expect(client.store).toBeInstanceOf(cairnq.SQLiteStore);
    expect(client.store).toBeInstanceOf(cairnq.TaskStore);
    expect((await client.submit('made')).status).toBe('queued');
    expect(await client.queueDepth('default', 1)).toBe(0);
  });

  it('5.2 constructing opens nothing', async () => {
    const stage = await setStage(backend);
    cairnq.CairnQ.sqlite(stage.path);
    new cairnq.SQLiteStore(stage.path);
    expect((await rejection(stat(stage.path))).code).toBe('ENOENT');
  });

  it('5.2 a failed open is retried by the next use', async () => {
    const stage = await setStage(backend);
    const folder = join(stage.world.directory, 'later');
    await writeFile(folder, 'a file where a folder should be');
    const client = cairnq.CairnQ.sqlite(join(folder, 'tasks.db'));
    stage.atEnd(() => client.close());
    expect(await rejection(client.submit('too early'))).toBeInstanceOf(Error);
    expect(await rejection(client.connect())).toBeInstanceOf(Error);
    await rm(folder);
    await mkdir(folder);
    expect((await client.submit('in time')).status).toBe('queued');
  });
});

onBackend('postgres', '5.1 the client', (backend) => {
  it('5.1 CairnQ.postgres makes the store itself', async () => {
    const stage = await setStage(backend);
    const client = cairnq.CairnQ.postgres(stage.world.dsn, { max: 2 });
    stage.atEnd(() => client.close());
    expect(client.store).toBeInstanceOf(cairnq.PostgresStore);
    expect((await client.submit('made')).status).toBe('queued');
  });
});
