import { expect, it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';

onEveryBackend('case 20: a NUL character everywhere', (backend) => {
  const acts = {
    result: () => 'x\0y',
    'error message': () => {
      throw new Error('x\0y');
    },
    'error object': (ctx) =>
      ctx.fail({ type: 'T', code: 'x\0y', message: 'x\0y' }, { retryable: false }),
    'progress message': async (ctx) => {
      await ctx.progress(0.5, 'x\0y').catch(() => {});
      return 'ended';
    },
  };
  it.each(Object.keys(acts))('case 20 as %s: the task still ends', async (name) => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({ nul: acts[name] }, { retryBackoffMs: 0 });
    const { id } = await client.submit('nul', null, { maxAttempts: 2 });
    const task = await client.wait(id);
    const kept = stage.kind === 'sqlite' ? 'x\0y' : 'x\ufffdy';
    if (name === 'progress message')
      expect(task).toMatchObject({ status: 'succeeded', result: 'ended' });
    else if (name === 'result' && stage.kind === 'sqlite') expect(task.result).toBe(kept);
    else if (name === 'result') expect(task.error.code).toBe('unserializable_result');
    else expect(task).toMatchObject({ status: 'failed', error: { message: kept } });
  });
});
