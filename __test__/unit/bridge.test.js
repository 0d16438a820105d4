import { once } from 'node:events';
import { expect, it } from 'vitest';
import { Bridge } from '../../lib/bridge.js';

/** An addon whose native side says what the test gives it. */
function addonSaying(messages) {
  class NativeBridge {
    constructor(wake) {
      queueMicrotask(wake);
    }
    drain() {
      return messages;
    }
  }
  return { NativeBridge };
}

it('case 19 a warning of the native side is a process warning of its name', async () => {
  const text = JSON.stringify({ name: 'NetworkFileSystemWarning', message: 'lies on nfs4' });
  new Bridge(addonSaying([3, text]));
  const [warning] = await once(process, 'warning');
  expect(warning.name).toBe('NetworkFileSystemWarning');
  expect(warning.message).toBe('lies on nfs4');
});

it('submits answered together each reach their caller, and what comes beside them as well', async () => {
  let messages = null;
  const bridge = new Bridge({
    NativeBridge: class {
      drain() {
        return messages;
      }
    },
  });
  const asked = Array.from({ length: 4 }, () => {
    let id;
    const answer = new Promise((resolve, reject) => {
      id = bridge.expect(resolve, reject);
    });
    return { id, answer };
  });
  const [first, second, read, last] = asked.map(({ id }) => id);
  messages = [4, `10,10,${first},${second}`, read * 5, '"a row"', 4, `11,30,${last}`];
  bridge.drain(false);
  expect(await Promise.all(asked.map(({ answer }) => answer))).toEqual([
    { createdAtMs: 10, runAtMs: 10 },
    { createdAtMs: 10, runAtMs: 10 },
    '"a row"',
    { createdAtMs: 11, runAtMs: 30 },
  ]);
});
