import { expect, it } from 'vitest';
import { PostgresStore } from '../../index.js';
import { rejection } from '../spec/events.js';
import { onBackend, setStage } from '../spec/stage.js';
import { storeOn } from './reach.js';

onBackend('postgres', '11.2 schemas', (backend) => {
  const tables = (stage) =>
    stage.sql(
      "select schemaname as schema, tablename as name from pg_tables where tablename like 'cairnq%' order by 1, 2",
    );
  const ours = ['cairnq_meta', 'cairnq_migrations', 'cairnq_task_keys', 'cairnq_tasks'];

  it('11.2 the schema is made when missing, and everything lives in it', async () => {
    const stage = await setStage(backend);
    const name = 'Weird "schema"';
    const store = stage.store({ schema: name });
    // Many at one moment, as the processes of a deployment start.
    const others = Array.from({ length: 7 }, () => stage.store({ schema: name }).connect());
    await Promise.all([store.connect(), ...others]);
    expect(await tables(stage)).toEqual(ours.map((table) => ({ schema: name, name: table })));
    const functions = await stage.sql(
      `select n.nspname as schema from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where p.proname like 'cairnq%'`,
    );
    expect(functions).toEqual([{ schema: name }]);
    const client = stage.client({ store });
    stage.run({ n: (_ctx, payload) => payload }, { store });
    expect(await client.call('n', 5, { key: 'k' })).toBe(5);
    expect((await client.getByKey('k')).result).toBe(5);
  });

  it('11.2 a name that no schema can have is refused', async () => {
    const stage = await setStage(backend);
    for (const schema of ['', 'x'.repeat(64), 'a\0b']) {
      const store = new PostgresStore(stage.world.dsn, { schema });
      expect((await rejection(store.connect())).message).toContain('schema must be a name');
    }
  });

  const ways = {
    'the schema option': (stage, name) => stage.store({ schema: name }),
    'search_path in the DSN': (stage, name) =>
      storeOn(stage, `${stage.world.dsn}?options=${encodeURIComponent(`-c search_path=${name}`)}`),
  };
  it.each(Object.keys(ways))(
    '11.2 two installations in one database do not meet: %s',
    async (way) => {
      const stage = await setStage(backend);
      if (way !== 'the schema option') {
        await stage.sql('create schema one');
        await stage.sql('create schema two');
      }
      const [one, two] = ['one', 'two'].map((name) => {
        const store = ways[way](stage, name);
        return { store, client: stage.client({ store }) };
      });
      const runs = { one: [], two: [] };
      stage.run({ n: (ctx) => void runs.one.push(ctx.taskId) }, { store: one.store });
      const a = await one.client.submit('n', null, { key: 'same' });
      const b = await two.client.submit('n', null, { key: 'same' });
      await one.client.wait(a.id);
      expect(await two.client.get(a.id)).toBe(null);
      expect(await two.client.get(b.id)).toMatchObject({ status: 'queued', attempt: 0 });
      expect((await two.client.stats()).default).toMatchObject({ queued: 1, succeeded: 0 });
      stage.run({ n: (ctx) => void runs.two.push(ctx.taskId) }, { store: two.store });
      await two.client.wait(b.id);
      expect(runs).toEqual({ one: [a.id], two: [b.id] });
      expect(await one.client.purge()).toEqual([a.id]);
      expect((await two.client.getByKey('same')).id).toBe(b.id);
    },
  );

  it('11.2 the channels are of a schema too: one installation is not woken by another', async () => {
    const stage = await setStage(backend);
    const one = stage.store({ schema: 'one' });
    const two = stage.store({ schema: 'two' });
    await two.connect();
    await one.connect();
    const mine = one.claimWake(['default'], 1500);
    const theirs = two.claimWake(['default'], 1500);
    // Sent until it is heard: by then both have had the time to listen.
    const foreign = stage.store({ schema: 'two' });
    let woken = false;
    theirs.then((answer) => {
      woken = answer;
    });
    while (!woken) {
      await foreign.submit({ name: 'n' });
      await Promise.race([theirs, new Promise((resolve) => setTimeout(resolve, 50))]);
    }
    expect(await theirs).toBe(true);
    expect(await mine).toBe(false);
  });
});
