/**
 * Embeddings in batches of 256. Texts are submitted one task each, so that each has its own status, attempts and
 * result; the worker's batch handler gets up to 256 of them at once, because a model is far cheaper per text when it
 * is asked for many. A batch is never waited for: with three texts queued the call has three. The model (model.js) is a
 * stand-in that needs no download; put yours behind the same function.
 *
 * node examples/embeddings/main.js [number of texts]
 */
import { CairnQ, defineTask, SQLiteStore, Worker } from '@cairnq/native';
import { embedAll, similarity } from './model.js';

const database = process.env.DATABASE ?? 'embeddings.db';
const count = Number(process.argv[2] ?? 600);

const embed = defineTask('text.embed');
const store = new SQLiteStore(database);
const client = new CairnQ(store);
const worker = new Worker(store, ['embeddings']);

worker.task(embed, { batch: 256 }, async (contexts) => {
  const vectors = await embedAll(contexts.map((ctx) => ctx.payload.text));
  console.log(`a batch of ${contexts.length}`);
  return Object.fromEntries(contexts.map((ctx, i) => [ctx.taskId, vectors[i]]));
});

const animals = ['cat', 'dog', 'owl', 'fox', 'bee'];
const texts = Array.from({ length: count }, (_, n) => `the ${animals[n % 5]} of house ${n}`);
const tasks = await client.submitMany(
  texts.map((text) => ({ name: embed, payload: { text }, queue: 'embeddings' })),
);

await worker.background(async () => {
  const done = await Promise.all(tasks.map(({ id }) => client.wait(id)));
  const [question] = await embedAll(['which owl lives in house 7']);
  const best = done
    .map(({ payload, result }) => ({ text: payload.text, score: similarity(question, result) }))
    .sort((a, b) => b.score - a.score);
  for (const { text, score } of best.slice(0, 3)) console.log(`${score.toFixed(3)}  ${text}`);
});
await client.close();
