/** A password in a DSN goes to the server and nowhere else. */
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { CairnQ, PostgresStore, Worker } from '../../index.js';
import { Peer } from '../process/peer.js';
import { rejection, thrown } from '../spec/events.js';

const SECRET = 'hunter2-Zq7';
/** Nothing listens there. */
const NOWHERE = '127.0.0.1:1';

const DSNS = [
  `postgres://me:${SECRET}@${NOWHERE}/db`,
  `postgresql://me:${encodeURIComponent(`${SECRET}@/%`)}@${NOWHERE}/db?sslmode=disable`,
  `postgres://${NOWHERE}/db?user=me&password=${SECRET}`,
  `host=127.0.0.1 port=1 user=me password='${SECRET}' dbname=db`,
  `postgres://me:${SECRET}@127.0.0.1:99999/db`,
  `postgres://me:${SECRET}@[::1/db`,
  `postgres://me:${SECRET}@${NOWHERE}/db?sslmode=${SECRET}`,
  `postgres://me:${SECRET}@${NOWHERE}/db?connect_timeout=${SECRET}`,
  `postgres://me:${SECRET}@${NOWHERE}/db?sslmode=verify-full&sslrootcert=/nowhere`,
  `host=127.0.0.1 port=1 password=${SECRET} sslmode`,
  `host=127.0.0.1 port=x password='${SECRET}`,
  `mysql://me:${SECRET}@${NOWHERE}/db`,
  `me:${SECRET}@${NOWHERE}/db`,
];

/** Everything that a program could print of a value. */
function printed(value) {
  const texts = [inspect(value, { depth: 10, showHidden: true }), String(value)];
  try {
    texts.push(JSON.stringify(value));
  } catch {
    // A cycle has no JSON to leak.
  }
  for (let error = value; error instanceof Error; error = error.cause) {
    texts.push(error.message, error.stack ?? '', JSON.stringify({ ...error }));
  }
  return texts.join('\n');
}

it.each(DSNS.map((dsn, n) => [n + 1, dsn]))(
  '7 no error tells the password of DSN %i',
  async (_n, dsn) => {
    const store = new PostgresStore(dsn);
    const client = new CairnQ(store);
    const attempts = [store.connect(), client.submit('x'), client.stats()];
    for (const error of await Promise.all(attempts.map(rejection))) {
      expect(printed(error)).not.toContain(SECRET);
    }
    const closing = await store.close().catch((error) => error);
    expect(printed(closing)).not.toContain(SECRET);
  },
);

it('7 neither a store, a client nor a worker shows it', async () => {
  const [dsn] = DSNS;
  const client = CairnQ.postgres(dsn);
  const worker = Worker.postgres(dsn);
  for (const object of [client, client.store, worker, worker.store]) {
    expect(printed(object)).not.toContain(SECRET);
  }
  expect(printed(thrown(() => new Worker({ dsn })))).not.toContain(SECRET);
  await client.close();
  await worker.close();
});

it('7 the log does not show it, however much it says', async () => {
  const config = { target: { kind: 'postgres', dsn: DSNS[0] } };
  const peer = Peer.node('unreachable.js', config, { env: { CAIRNQ_LOG: 'trace' } });
  await peer.event('failed');
  expect(await peer.exitWithin(20_000)).toEqual({ code: 0, signal: null });
  expect(peer.lines).not.toHaveLength(0);
  expect(`${peer.stderr}\n${JSON.stringify(peer.lines)}`).not.toContain(SECRET);
});
