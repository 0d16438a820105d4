/** Batches, quotas and shared resources; tasks by name, as JavaScript programs have them. */
import { type BatchHandler, type Handler, TaskError, Worker } from '@cairnq/native';

declare function embed(texts: string[]): Promise<Float32Array[]>;
declare function render(scene: string): Promise<Uint8Array>;

const worker = Worker.postgres('postgres://queue@localhost/jobs', {
  max: 8,
  concurrency: 256,
  claimBatch: 256,
  maxInFlightBytes: 64 << 20,
  resources: { gpu: 2, disk: 8 },
  retryBackoffMs: 500,
  retryBackoffMaxMs: 60_000,
});

worker.task('text.embed', { batch: 256, resource: 'gpu' }, async (contexts) => {
  const vectors = await embed(contexts.map((ctx) => ctx.payload.text));
  return Object.fromEntries(contexts.map((ctx, i) => [ctx.taskId, Array.from(vectors[i] ?? [])]));
});

// A batch handler may settle its tasks one by one instead of giving results back.
worker.task('text.check', { batch: 32, concurrency: null }, async (contexts) => {
  for (const ctx of contexts) {
    if (typeof ctx.payload === 'string') await ctx.succeed({ length: ctx.payload.length });
    else await ctx.fail(new TaskError('not a text', { code: 'bad_input' }), { retryable: false });
  }
});

worker.task('image.render', { concurrency: 4, resource: 'gpu' }, async (ctx, payload) => {
  const image = await render(payload.scene);
  return { bytes: image.length, attempt: ctx.attempt };
});

const handlers: Record<string, Handler> = {
  'file.hash': async (_ctx, payload: { path: string }) => payload.path.length,
  'file.touch': () => {},
};
for (const [name, handler] of Object.entries(handlers)) {
  worker.task(name, { resource: 'disk' }, handler);
}

const counts: BatchHandler<{ words: string[] }, number> = (contexts) =>
  Object.fromEntries(contexts.map((ctx) => [ctx.taskId, ctx.payload.words.length]));
worker.task({ name: 'word.count' }, { batch: 16 }, counts);

export async function main() {
  const stopped = worker.run();
  process.once('SIGTERM', () => worker.stop());
  await stopped;
  await worker.close();
}
