import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { installExamples } from '../../scripts/examples.js';
import { until } from '../support/until.js';
import { databaseFile, startExample } from './example.js';

// The handlers are called as Next.js calls them: with a Request, and with params as a promise.
describe('examples/next [sqlite]', () => {
  beforeAll(() => installExamples());

  it('submits, is asked about, and has its work done by the worker process', async () => {
    process.env.DATABASE = databaseFile();
    const { POST } = await import('../../examples/next/app/api/thumbnails/route.js');
    const { GET } = await import('../../examples/next/app/api/thumbnails/[id]/route.js');
    const { queue } = await import('../../examples/next/lib/queue.js');
    onTestFinished(() => queue().close());
    const post = (body) => POST(new Request('http://web/api/thumbnails', { method: 'POST', body }));
    const get = async (id) => {
      const params = Promise.resolve({ id });
      return await GET(new Request(`http://web/api/thumbnails/${id}`), { params });
    };

    const accepted = await post('{"image":"owl.png","width":320}');
    expect(accepted.status).toBe(202);
    const { id, status } = await accepted.json();
    expect(status).toBe('queued');
    expect(accepted.headers.get('location')).toBe(`/api/thumbnails/${id}`);

    const worker = startExample('next/worker.js', { env: { DATABASE: process.env.DATABASE } });
    const done = await until(async () => {
      const body = await (await get(id)).json();
      return body.status === 'succeeded' && body;
    });
    expect(done.result).toEqual({ file: 'owl-320.webp' });
    // What is done already is not done again.
    expect((await (await post('{"image":"owl.png","width":320}')).json()).id).toBe(id);

    expect((await post('{"image":"owl.png"}')).status).toBe(400);
    expect((await get('none')).status).toBe(404);
    worker.kill('SIGTERM');
    expect(await worker.exitWithin(10_000)).toEqual({ code: 0, signal: null });
  });
});
