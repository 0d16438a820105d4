import { queue } from '../../../../lib/queue.js';

export const runtime = 'nodejs';

export async function GET(_request, { params }) {
  const { id } = await params;
  const task = await queue().get(id);
  if (task === null) return Response.json({ error: 'no such thumbnail' }, { status: 404 });
  const { status, result, error } = task;
  return Response.json({ id, status, result, error: error?.message ?? null });
}
