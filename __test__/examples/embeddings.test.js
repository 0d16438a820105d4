import { describe, expect, it } from 'vitest';
import { embedAll, similarity } from '../../examples/embeddings/model.js';
import { clientOn, databaseFile, runExample } from './example.js';

describe('examples/embeddings [sqlite]', () => {
  it('embeds 600 texts in three calls and finds the nearest', async () => {
    const database = databaseFile();
    const lines = await runExample('embeddings/main.js', { env: { DATABASE: database } });
    expect(lines.slice(0, 3)).toEqual(['a batch of 256', 'a batch of 256', 'a batch of 88']);
    expect(lines[3]).toMatch(/the owl of house 7$/);

    const client = clientOn(database);
    expect((await client.stats('embeddings')).embeddings.succeeded).toBe(600);
    const [{ payload, result }] = await client.list({ queue: 'embeddings', limit: 1 });
    expect(result).toEqual((await embedAll([payload.text]))[0]);
  });

  it('has a model that knows similar texts from others', async () => {
    const [owl, owls, bill] = await embedAll(['the owl flies', 'the owl sleeps', 'pay this bill']);
    expect(similarity(owl, owl)).toBeCloseTo(1);
    expect(similarity(owl, owls)).toBeGreaterThan(similarity(owl, bill));
  });
});
