import { performance } from 'node:perf_hooks';
import { CairnQ } from '../../index.js';
import { payloadOf } from '../harness/payloads.js';
import { openStore } from './open-store.js';
import { warmUpClients } from './warm-up.js';

/**
 * Submits per second, as a client does it.
 * @param {{ store: object, how: 'oneByOne' | 'thirtyTwo' | 'many', tasks: number, fresh?: boolean }} params
 */
export async function run({ store: where, how, tasks, fresh = false }) {
  const payload = payloadOf(20);
  if (!fresh) await warmUpClients((client, count) => ways[how](client, payload, count));
  const client = new CairnQ(openStore(where));
  await client.connect();
  const started = performance.now();
  await ways[how](client, payload, tasks);
  const seconds = (performance.now() - started) / 1000;
  const { default: counts } = await client.stats('default');
  if (counts.queued !== tasks) throw new Error(`submitted ${JSON.stringify(counts)}`);
  await client.close();
  return tasks / seconds;
}

const ways = {
  async oneByOne(client, payload, tasks) {
    for (let done = 0; done < tasks; done += 1) await client.submit('noop', payload);
  },
  async thirtyTwo(client, payload, tasks) {
    for (let done = 0; done < tasks; done += 32) {
      const count = Math.min(32, tasks - done);
      await Promise.all(Array.from({ length: count }, () => client.submit('noop', payload)));
    }
  },
  async many(client, payload, tasks) {
    await client.submitMany(Array.from({ length: tasks }, () => ({ name: 'noop', payload })));
  },
};
