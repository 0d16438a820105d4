/**
 * Next.js route handlers: POST submits a task and answers 202, GET on its id says how it stands. Next.js runs the web
 * side only; the work is done by a process of its own (worker.js), because a serverless or restarting web server is no
 * place for a worker. next.config.js keeps the native addon out of the bundle. The tests call these handlers with a
 * Request and read the Response; they do not build a Next.js application around them.
 */
import { queue, thumbnail } from '../../../lib/queue.js';

// The addon needs Node, not the edge runtime.
export const runtime = 'nodejs';

export async function POST(request) {
  const { image, width } = await request.json();
  if (typeof image !== 'string' || !Number.isInteger(width) || width < 1) {
    return Response.json({ error: 'an image and a width are needed' }, { status: 400 });
  }
  const key = `${image}@${width}`;
  const task = await queue().submit(
    thumbnail,
    { image, width },
    { key, conflict: 'reuse-succeeded' },
  );
  const headers = { location: `/api/thumbnails/${task.id}` };
  return Response.json({ id: task.id, status: task.status }, { status: 202, headers });
}
