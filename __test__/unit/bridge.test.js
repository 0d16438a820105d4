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
