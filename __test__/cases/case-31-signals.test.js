import { expect, it } from 'vitest';
import { pass } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend("case 31: the application's own handlers", (backend) => {
  it("case 31 the application's SIGTERM handler runs beside serve()", async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('worker.js', {
      handlers: { echo: ['echo'] },
      serve: true,
      ownSignals: ['SIGTERM'],
    });
    await peer.event('running');
    peer.kill('SIGTERM');
    expect(await peer.event('signal')).toMatchObject({ by: 'application' });
    await peer.event('over');
    expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
  });

  it('case 31 run() installs no handler: the default ends the process', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('worker.js', { handlers: { echo: ['echo'] } });
    expect((await peer.event('running')).listeners).toBe(0);
    peer.kill('SIGTERM');
    expect(await peer.exitWithin(5000)).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it("case 31 the application's handler beside run() is alone", async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('worker.js', { handlers: { echo: ['echo'] }, ownSignals: ['SIGTERM'] });
    await peer.event('running');
    peer.kill('SIGTERM');
    await peer.event('signal');
    await pass(100);
    expect(peer.exit).toBe(undefined);
    expect(await stage.client().call('echo', 1)).toBe(1);
  });
});
