import { expect, it } from 'vitest';
import { pass } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 27: when the process ends', (backend) => {
  it('case 27 a script that stops and closes its worker exits within a second', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('stops.js');
    const { at } = await peer.event('stopped');
    expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
    expect(Date.now() - at).toBeLessThan(1000);
    expect(peer.stderr).toBe('');
  });

  it('case 27 one that only starts its worker stays alive', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('stops.js', { stay: true });
    await peer.event('started');
    await pass(1200);
    expect(peer.exit).toBe(undefined);
  });

  it('case 27 a client that is not closed does not hold the process', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('stops.js', { clientOnly: true });
    await peer.event('submitted');
    expect(await peer.exitWithin(3000)).toEqual({ code: 0, signal: null });
  });
});
