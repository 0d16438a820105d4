import { fileURLToPath } from 'node:url';
import { Worker as Thread } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { pass, until, within } from './events.js';
import { onBackend, onEveryBackend, setStage } from './stage.js';

const handlers = { held: ['held'], echo: ['echo'], exit: ['exit'], crash: ['crash'] };

onEveryBackend('8.9 processes', (backend) => {
  it('8.9 a running worker keeps the process alive; a stopped and closed one does not', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('worker.js', { handlers, options: { pollIntervalMs: 60_000 } });
    await peer.event('running');
    await pass(300);
    expect(peer.exit).toBe(undefined);
    peer.send({ stop: true });
    const { at } = await peer.event('closed');
    expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
    expect(Date.now() - at).toBeLessThan(1000);
  });

  it('8.9 a worker whose process has nothing else to do stays alive and works', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('worker.js', { handlers, stdin: false });
    peer.process.stdin.end();
    await peer.event('running');
    await pass(300);
    expect(peer.exit).toBe(undefined);
    expect(await stage.client().call('echo', 'alive')).toBe('alive');
  });

  it.each(['SIGTERM', 'SIGINT'])(
    '8.9 serve() stops at %s, finishes what runs, and takes its listeners off',
    async (signal) => {
      const stage = await setStage(backend);
      const client = stage.client();
      const peer = stage.peer('worker.js', { handlers, serve: true });
      expect((await peer.event('running')).listeners).toBe(1);
      const { id } = await client.submit('held');
      await peer.event('start');
      peer.kill(signal);
      await pass(200);
      expect(peer.exit).toBe(undefined);
      expect(await client.get(id)).toMatchObject({ status: 'running' });
      peer.send({ release: true });
      expect((await peer.event('over')).listeners).toBe(0);
      expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
      expect(await client.get(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
    },
  );

  it('8.9 a second signal meets the default of Node', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('worker.js', { handlers, serve: true });
    await peer.event('running');
    await stage.client().submit('held');
    await peer.event('start');
    peer.kill('SIGTERM');
    await pass(200);
    expect(peer.exit).toBe(undefined);
    peer.kill('SIGTERM');
    expect(await peer.exitWithin(5000)).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('8.9 process.exit() in a handler ends cleanly, and the lease expires', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const peer = stage.peer('worker.js', { handlers, options: { leaseMs: 500 } });
    await peer.event('running');
    const { id } = await client.submit('exit');
    expect(await peer.exitWithin(5000)).toEqual({ code: 3, signal: null });
    stage.run({ exit: (ctx) => ctx.attempt }, { pollIntervalMs: 20 });
    expect((await client.wait(id)).result).toBe(2);
  });

  it('8.9 an uncaught exception ends the process as Node does', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('worker.js', { handlers });
    await peer.event('running');
    await stage.client().submit('crash');
    expect(await peer.exitWithin(5000)).toEqual({ code: 1, signal: null });
    expect(peer.stderr).toContain('a mistake of the application');
  });

  it('8.9 terminate() of a worker_thread in mid-handler ends it cleanly, and the tasks come back', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const ids = [];
    const interrupted = new Map();
    for (let round = 0; round < 5; round++) {
      const { id } = await client.submit('held', null, { maxAttempts: 10 });
      ids.push(id);
      const config = { target: stage.world.target, options: { leaseMs: 400, pollIntervalMs: 20 } };
      const program = fileURLToPath(new URL('../process/thread.js', import.meta.url));
      const thread = new Thread(program, { argv: [JSON.stringify(config)] });
      stage.atEnd(() => thread.terminate());
      const { taskId, attempt } = await within(
        10_000,
        new Promise((resolve, reject) => {
          thread.on('message', resolve);
          thread.on('error', reject);
        }),
        'the thread to start a task',
      );
      interrupted.set(taskId, attempt);
      await within(5000, thread.terminate(), 'terminate()');
    }
    stage.run({ held: (ctx) => ctx.attempt }, { pollIntervalMs: 20, concurrency: 5 });
    const tasks = await Promise.all(ids.map((id) => client.wait(id)));
    for (const { id, result } of tasks) {
      expect(result).toBeGreaterThan(interrupted.get(id) ?? 0);
    }
    expect(interrupted.size).toBeGreaterThan(0);
    await until(async () => (await client.stats()).default.succeeded === 5);
  });
});

// What a process has open can be listed only where /proc is.
const listable = process.platform === 'linux';

onBackend('sqlite', '8.9 processes', (backend) => {
  it.runIf(listable).each([
    ['serve', true, []],
    ['background', true, []],
    ['serve', false, ['tasks.db']],
    ['background', false, ['tasks.db']],
  ])('8.9 %s() closes the store if the worker made it (%s)', async (act, owned, left) => {
    const stage = await setStage(backend);
    const peer = stage.peer('owned.js', { act, owned });
    await peer.event('running');
    if (act === 'serve') peer.kill('SIGTERM');
    expect((await peer.event('over')).open).toEqual(left);
    expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
  });
});
