import { expect, it } from 'vitest';
import { cairnq, onEveryBackend, setStage } from '../spec/stage.js';

function nested(depth) {
  let value = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

/** What JSON itself makes of a value, or undefined where it refuses. */
function plainJson(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

onEveryBackend('case 22: numbers and depth', (backend) => {
  const values = {
    '10n': 10n,
    '2**53+1': 2 ** 53 + 1,
    '-0': -0,
    '1e400': Number('1e400'),
    NaN: Number.NaN,
    '5e-324': 5e-324,
    '1.7976931348623157e308': Number.MAX_VALUE,
    'depth 127': nested(127),
    'depth 128': nested(128),
    'depth 10,000': nested(10_000),
    'depth 100,000': nested(100_000),
  };
  it.each(Object.keys(values))('case 22 %s is kept as JSON keeps it, or refused', async (name) => {
    const stage = await setStage(backend);
    const client = stage.client();
    const value = values[name];
    const text =
      typeof value === 'number' && !Number.isFinite(value) ? undefined : plainJson(value);
    const outcome = await client.submit('value', { value }).catch((error) => error);
    if (outcome instanceof Error) {
      expect(outcome).toBeInstanceOf(cairnq.SerializationError);
      expect(await client.list()).toEqual([]);
      // Only what JSON.stringify itself cannot say may be refused.
      expect(text).toBe(undefined);
    } else {
      expect(JSON.stringify(outcome.payload.value) === text).toBe(true);
    }
  });

  it('case 22 a result that JSON.stringify overflows on fails its task', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ deep: () => nested(200_000) });
    const { id } = await client.submit('deep');
    const task = await client.wait(id);
    if (task.status === 'failed') expect(task.error.code).toBe('unserializable_result');
    else expect(task.status).toBe('succeeded');
  });
});
